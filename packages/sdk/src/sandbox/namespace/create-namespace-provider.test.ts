import { describeSandboxContract } from '../sandbox-contract.fixture.ts';
import { createNamespaceProvider } from './create-namespace-provider.ts';

describeSandboxContract({ name: 'namespace', open: () => createNamespaceProvider(), isContained: true });
