import type { ControlClient } from '@lachesis/sdk';
import { fail } from '../terminal/fail.ts';
import { readServerVariable } from './read-server-variable.ts';
import { findTokenFor } from './server-token.ts';

/** A project may have its own port. */
export const DEFAULT_SERVER = `http://127.0.0.1:${process.env['LACHESIS_CONTROL_PORT'] || '8080'}`;

/** Where the control server is; every command about runs takes these. */
export const serverFlags = {
  server: {
    type: 'string',
    description: `address of the control server (default: ${DEFAULT_SERVER}, and the home where none answers) [RL_API_URL, LACHESIS_URL]`,
  },
  token: { type: 'string', description: 'token for the server (default: that of the home) [LACHESIS_TOKEN]' },
  home: {
    type: 'string',
    description: 'folder of Lachesis, asked where no server is named or answers [LACHESIS_HOME]',
  },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

export interface ServerArguments {
  server?: string | undefined;
  token?: string | undefined;
  home?: string | undefined;
}

/** The address that somebody named, by the flag or a variable. */
export function readNamedServer(
  { server }: ServerArguments,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const named = [server, env['RL_API_URL'], readServerVariable(env)];
  return named.find((address) => address !== undefined && address !== '');
}

/** `localhost:8080` reads as an address and is none. */
export function refuseNoAddress(url: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  fail(
    `the address of the control server must be one such as ${DEFAULT_SERVER}, and ${JSON.stringify(url)} was given with --server or LACHESIS_URL.`,
  );
}

export async function openControl(args: ServerArguments): Promise<ControlClient> {
  const url = readNamedServer(args) ?? DEFAULT_SERVER;
  refuseNoAddress(url);
  const token = await findTokenFor(url, args);
  const { createControlClient } = await import('@lachesis/sdk');
  return createControlClient({ url, token });
}

/** A failed call as a sentence for the person who typed the command. */
export async function describeControlError(error: unknown, { url }: Pick<ControlClient, 'url'>): Promise<string> {
  const { ClientError } = await import('@lachesis/sdk');
  if (!ClientError.isInstance(error)) return error instanceof Error ? error.message : String(error);
  const { code, reason, hint } = error;
  if (code === 'connection') {
    return `the control server at ${url} cannot be reached. Start one with \`lachesis up\`, or say where it is with --server.`;
  }
  if (code === 'timeout')
    return `the control server at ${url} did not answer in time. Ask again; \`lachesis doctor\` looks for the cause.`;
  if (code === 'unauthorized' || code === 'forbidden') {
    return `the control server at ${url} refused the call: ${trim(reason)}. Give a token with --token or LACHESIS_TOKEN; \`lachesis token create\` makes one there. A server of this machine leaves one in its home: say which with LACHESIS_HOME.`;
  }
  if (code === 'unreadable-reply')
    return `what answers at ${url} is not a control server of this version: ${trim(reason)}.`;
  return `${trim(reason)}.${hint === undefined ? '' : ` ${hint}`}`;
}

const trim = (sentence: string): string => sentence.replace(/[.\s]+$/, '');
