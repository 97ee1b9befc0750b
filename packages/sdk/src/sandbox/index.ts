export { readTar } from './command/tar.ts';
export { createContainerProvider } from './container/create-container-provider.ts';
export { createLocalProvider } from './local/create-local-provider.ts';
export { createNamespaceProvider } from './namespace/create-namespace-provider.ts';
export { SandboxError } from './sandbox-error.ts';
export type { Sandbox, SandboxProvider } from './sandbox.ts';
export { createSshProvider } from './ssh/create-ssh-provider.ts';
