import { describeSandboxContract } from '../sandbox-contract.fixture.ts';
import { createSshProvider } from './create-ssh-provider.ts';

// What ssh does with a command line: joins its words and gives them to the login shell of the other side.
const standIn = ['/bin/sh', '-c', 'shift 2; exec /bin/sh -c "$*"', 'ssh'];

describeSandboxContract({
  name: 'ssh (a stand-in for the program)',
  open: () => createSshProvider({ host: 'elsewhere', command: standIn }),
  isContained: false,
});
