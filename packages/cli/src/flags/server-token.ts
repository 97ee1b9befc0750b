import { fail } from '../terminal/fail.ts';

/** The token for a server of ours, so that nobody has to type the one of their own machine. */
export async function findTokenFor(
  url: string,
  args: { token?: string | undefined; home?: string | undefined },
): Promise<string | undefined> {
  const { findServerToken } = await import('@lachesis/sdk/home');
  try {
    return findServerToken({ url, token: args.token, home: args.home });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}
