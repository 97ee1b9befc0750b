import type { AgentTool, ToolArguments } from '@lachesis/sdk/agent';
import type { Sandbox, SandboxProvider } from '@lachesis/sdk/sandbox';
import type { BatchTask } from '../batch-agent.ts';
import { BatchError } from '../batch-error.ts';

export interface TaskSandboxOptions {
  provider: () => SandboxProvider;
  owner: string;
  task: BatchTask;
  /** The kind that was asked for. */
  sandbox: string;
  /** What was done in a sandbox that is gone; it is done again before anything else. */
  calls: readonly { tool: AgentTool; args: ToolArguments; answer: string }[];
}

export interface TaskSandbox {
  open(): Promise<Sandbox>;
  /** How many of the calls that were done again were answered otherwise than the record says. */
  differences(): number;
  close(): Promise<void>;
}

/**
 * The sandbox of one item, made when a tool first asks for it. After a crash the calls of the record run again in a fresh
 * one, so that their files are there; the model still reads the answers of the record, and none of it is asked or paid again.
 */
export function openTaskSandbox(options: TaskSandboxOptions): TaskSandbox {
  const { provider, owner, task, calls } = options;
  let opening: Promise<Sandbox> | undefined;
  let differences = 0;
  const create = async (): Promise<Sandbox> => {
    const image = task.input.image ?? task.input.docker_image;
    if (image !== undefined && options.sandbox !== 'container') {
      throw new BatchError({
        ...{ kind: 'attempt', what: `Prompt ${task.index} wants the image ${image}` },
        hint: `The sandbox is "${options.sandbox}", which has none: use --sandbox container`,
      });
    }
    const made = await provider().create({
      ...{ owner, label: `task_${task.index}` },
      ...(image === undefined ? {} : { image }),
    });
    const sandbox = task.input.cwd === undefined ? made : inFolder(made, task.input.cwd);
    for (const { tool, args, answer } of calls) {
      const context = { signal: task.signal, callId: '', sandbox: async () => sandbox };
      const text = await tool.execute(args, context).then(
        (result) => (typeof result === 'string' ? result : JSON.stringify(result)),
        // Its answer was an error then too, or it differs: both are seen below.
        () => '',
      );
      if (text !== answer && text !== '') differences += 1;
    }
    return sandbox;
  };
  return {
    open: () => (opening ??= create()),
    differences: () => differences,
    async close() {
      if (opening === undefined) return;
      const sandbox = await opening.catch(() => undefined);
      await sandbox?.destroy();
    },
  };
}

/** Commands run in this folder unless they say another. */
function inFolder(sandbox: Sandbox, cwd: string): Sandbox {
  return Object.assign(Object.create(sandbox) as Sandbox, {
    exec: ((command, given) => sandbox.exec(command, { cwd, ...given })) satisfies Sandbox['exec'],
  });
}
