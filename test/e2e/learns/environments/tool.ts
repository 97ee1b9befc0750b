import { defineEnvironment } from '@lachesis/sdk/environment';

import { describeTask } from '../describe-task.ts';
import type { TaskItem } from '../tasks.ts';

export default defineEnvironment<TaskItem>({ name: 'learns-tool', ...describeTask('tool') });
