/*
 * Who the page is to the server: a short-lived token in the storage of this tab. No cookie, and never in an address; the
 * one-time code that `lachesis ui` puts behind the # is traded for it and taken out of the address.
 */
const STORED = 'lachesis.token';

/** The token of this tab, where the server asks for one. */
export const readToken = (): string | undefined => sessionStorage.getItem(STORED) ?? undefined;

export function writeToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(STORED);
  else sessionStorage.setItem(STORED, token);
}

/** Trades a one-time code for a token. Gives what went wrong as a sentence, or nothing. */
export async function tradeCode(code: string): Promise<string | undefined> {
  try {
    const headers = { accept: 'application/json', authorization: `Bearer ${code}` };
    const response = await fetch('/v1/session', { method: 'POST', headers });
    const body = (await response.json()) as { token?: unknown; error?: { message?: string } };
    if (!response.ok || typeof body.token !== 'string') return body.error?.message ?? 'The code was not taken.';
    writeToken(body.token);
    return undefined;
  } catch {
    return 'The server does not answer.';
  }
}

let refusedCode: string | undefined;

/** Why the code of the address was not taken, for the page that asks for another. */
export const readRefusedCode = (): string | undefined => refusedCode;

/** Trades the code of the address, if there is one. */
export async function openSession(): Promise<void> {
  const code = location.hash.slice(1);
  if (code === '') return;
  history.replaceState(history.state, '', location.pathname + location.search);
  refusedCode = await tradeCode(code);
}
