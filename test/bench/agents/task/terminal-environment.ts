import { defineAgentEnvironment } from '@lachesis/sdk/environment';

import { terminalTask } from './terminal-task.ts';

export const environment = defineAgentEnvironment({ name: 'bench-terminal', ...terminalTask });
