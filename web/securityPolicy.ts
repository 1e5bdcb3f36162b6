import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Plugin } from 'vite';

/** What index.html has in the place of the nonce; the server puts a new one there for every page. */
const NONCE_PLACE = '__CSP_NONCE__';

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** `npm run preview` answers under the policy of the real server, so that a fault shows at once. */
export function securityPolicy(): Plugin {
  return {
    name: 'firn-security-policy',
    configurePreviewServer(server) {
      const { root, build } = server.config;
      server.middlewares.use(async (request, response, next) => {
        const isPage = /^\/(worksheets|analyst|data|history|admin)?([/?]|$)/.test(
          request.url ?? '',
        );
        if (!isPage) return next();
        const nonce = randomBytes(16).toString('hex');
        const file = resolve(root, build.outDir, 'index.html');
        const page = await readFile(file, 'utf8').catch(() => null);
        if (page === null) return next();
        response.writeHead(200, {
          'Content-Type': 'text/html; charset=utf-8',
          'Cache-Control': 'no-store',
          'Content-Security-Policy': policy(nonce),
          'X-Content-Type-Options': 'nosniff',
          'Referrer-Policy': 'no-referrer',
        });
        response.end(page.replaceAll(NONCE_PLACE, nonce));
      });
    },
  };
}
