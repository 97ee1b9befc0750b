import { defineAgentEnvironment } from '@lachesis/sdk/environment';
import { createNamespaceProvider } from '@lachesis/sdk/sandbox';
import type { Sandbox, SandboxProvider } from '@lachesis/sdk/sandbox';

import { terminalTask } from './terminal-task.ts';

/** The seeded fault: every command gets a sandbox of its own. */
function forget(provider: SandboxProvider): SandboxProvider {
  return {
    ...provider,
    create: async (options) => {
      const first = await provider.create(options);
      const exec: Sandbox['exec'] = async (command, execOptions) => {
        const another = await provider.create(options);
        try {
          return await another.exec(command, execOptions);
        } finally {
          await another.destroy();
        }
      };
      return { ...first, exec };
    },
  };
}

export const environment = defineAgentEnvironment({
  name: 'bench-forgetful',
  ...terminalTask,
  sandboxes: forget(createNamespaceProvider()),
});
