import { describeSandboxContract } from '../sandbox-contract.fixture.ts';
import { createLocalProvider } from './create-local-provider.ts';

describeSandboxContract({ name: 'local', open: () => createLocalProvider(), isContained: false });
