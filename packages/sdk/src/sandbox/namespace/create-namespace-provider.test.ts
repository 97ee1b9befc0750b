import { describeSandboxContract } from '../sandbox-contract.case.ts';
import { createNamespaceProvider } from './create-namespace-provider.ts';

describeSandboxContract({ name: 'namespace', open: () => createNamespaceProvider(), isContained: true });
