import { SandboxError } from './sandbox-error.ts';
import type { CreateSandbox } from './sandbox.ts';

/** For providers that cannot put a proxy in front of what runs in them; a list that nobody holds would be a lie. */
export function refuseNetwork(provider: string, { network }: CreateSandbox): void {
  if (network === undefined) return;
  throw new SandboxError({
    kind: 'bad-options',
    reason: `The ${provider} sandbox cannot hold a list of hosts, and network was given.`,
    hint: 'Use the namespace sandbox (env.terminal_backend: namespace), or leave network out.',
  });
}
