import { createContainerProvider } from '../../sandbox/container/create-container-provider.ts';
import { createLocalProvider } from '../../sandbox/local/create-local-provider.ts';
import { createNamespaceProvider } from '../../sandbox/namespace/create-namespace-provider.ts';
import type { SandboxProvider } from '../../sandbox/sandbox.ts';
import { createSshProvider } from '../../sandbox/ssh/create-ssh-provider.ts';
import { EnvironmentError } from '../environment-error.ts';

const SSH = 'ssh:';

/** A provider by the name of its backend; `ssh:<host>` names the machine too. There is no way from one to a weaker one. */
export function openSandboxProvider(backend: string): SandboxProvider {
  if (backend === 'namespace') return createNamespaceProvider();
  if (backend === 'namespace:watched') return createNamespaceProvider({ controlGroups: null });
  if (backend === 'local') return createLocalProvider();
  if (backend === 'container') return createContainerProvider();
  if (backend.startsWith(SSH) && backend.length > SSH.length)
    return createSshProvider({ host: backend.slice(SSH.length) });
  throw new EnvironmentError({
    kind: 'bad-definition',
    reason: `${JSON.stringify(backend)} is no place where tools can run.`,
    hint: 'Set env.terminal_backend to namespace, namespace:watched, container, ssh:<host>, or local, which is no wall and only for work you trust.',
  });
}
