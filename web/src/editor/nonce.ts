/** The nonce that the server gave this page for its styles. */
export const NONCE =
  document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
