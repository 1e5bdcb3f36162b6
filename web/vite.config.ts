import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { securityPolicy } from './securityPolicy.ts';

const server = process.env.FIRN_URL ?? 'http://127.0.0.1:8090';
const proxy = Object.fromEntries(
  ['/api', '/healthz', '/readyz', '/metrics', '/mcp'].map((path) => [path, { target: server }]),
);

export default defineConfig({
  plugins: [react(), securityPolicy()],
  server: { proxy },
  preview: { proxy },
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    // Every file keeps an address of its own: the policy allows no data: scripts or fonts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
});
