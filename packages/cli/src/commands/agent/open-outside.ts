import { createToolRun, describeMissing, openToolsets, readToolsSettings, type AgentTool } from '@lachesis/sdk/agent';
import { createNamespaceProvider, type SandboxProvider } from '@lachesis/sdk/sandbox';
import { fail, failWithSentence } from '../../terminal/fail.ts';

type Sandbox = Awaited<ReturnType<SandboxProvider['create']>>;

/** What the agent may use outside the project, and the sandbox that its commands run in. */
export interface Outside {
  readonly toolsets: Readonly<Record<string, readonly AgentTool[]>>;
  readonly run: ReturnType<typeof createToolRun>;
  readonly sandbox: () => Promise<Sandbox>;
  close(): Promise<void>;
}

/** Opens what `--toolsets` names; a toolset that is not configured ends the command with what to set. */
export async function openOutside(args: {
  toolsets?: string | undefined;
  tools?: string | undefined;
}): Promise<Outside> {
  const wanted = (args.toolsets ?? '').split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  const settings = await readToolsSettings({ file: args.tools }).catch(failWithSentence);
  const opened = await openToolsets({ wanted, settings }).catch(failWithSentence);
  if (opened.missing.length > 0) {
    await opened.close();
    fail(`--toolsets names what is not configured:${describeMissing(opened.missing)}`);
  }
  const run = createToolRun();
  let provider: SandboxProvider | undefined;
  let made: Promise<Sandbox> | undefined;
  return {
    ...{ toolsets: opened.toolsets, run },
    sandbox: () => {
      provider ??= createNamespaceProvider();
      return (made ??= provider.create({ owner: 'lachesis-agent', label: 'agent' }));
    },
    close: async () => {
      await run.end().catch(() => undefined);
      await made?.then((sandbox) => sandbox.destroy()).catch(() => undefined);
      await provider?.close();
      await opened.close();
    },
  };
}
