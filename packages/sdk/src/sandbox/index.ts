export { readTar, writeTar } from './command/tar.ts';
export type { TarEntry, TarFile } from './command/tar.ts';
export { createContainerProvider } from './container/create-container-provider.ts';
export type { ContainerProviderOptions } from './container/create-container-provider.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export { createLocalProvider } from './local/create-local-provider.ts';
export type { LocalProviderOptions } from './local/create-local-provider.ts';
export { bubblewrapArguments } from './namespace/bubblewrap-arguments.ts';
export type { BubblewrapArguments, ExecArguments, HolderArguments } from './namespace/bubblewrap-arguments.ts';
export { createNamespaceProvider } from './namespace/create-namespace-provider.ts';
export type { NamespaceProviderOptions } from './namespace/namespace-provider-options.ts';
export type { ControlGroupHome } from './namespace/control-group.ts';
export { createSandboxPool } from './pool/create-sandbox-pool.ts';
export type { SandboxPool, SandboxPoolOptions } from './pool/create-sandbox-pool.ts';
export { SandboxError } from './sandbox-error.ts';
export type { SandboxErrorKind, SandboxErrorOptions } from './sandbox-error.ts';
export type {
  CreateSandbox,
  DiffOptions,
  ExecEnd,
  ExecOptions,
  ExecResult,
  FileChange,
  FileEntry,
  OutputChunk,
  Sandbox,
  SandboxLimits,
  SandboxProvider,
} from './sandbox.ts';
export { createSshProvider } from './ssh/create-ssh-provider.ts';
export type { SshProviderOptions } from './ssh/create-ssh-provider.ts';
