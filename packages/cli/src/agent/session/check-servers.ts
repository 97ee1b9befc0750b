import { listModels } from '@lachesis/sdk/agent';

type ModelServerOptions = Parameters<typeof listModels>[0];

export interface ServerCheck {
  server: 'control' | 'model';
  url: string;
  isOk: boolean;
  /** What was found, or what is wrong and what to do. */
  message: string;
}

export interface CheckServersOptions {
  control: { url: string; health(): Promise<{ status: string; active_runs?: number | undefined }> };
  /** The name that will be asked for; undefined for the one the server has. */
  modelServer: (ModelServerOptions & { model?: string | undefined }) | undefined;
}

/** Asks both servers that an agent needs. Never throws. */
export async function checkServers({ control, modelServer }: CheckServersOptions): Promise<ServerCheck[]> {
  const controlCheck = check('control', control.url, async () => {
    const { status, active_runs: active } = await control.health();
    if (status !== 'ok') throw new Error(`it says that it is ${status}`);
    return active === undefined ? 'it answers' : `it answers; ${active} runs are active`;
  });
  if (modelServer === undefined) {
    const message = 'none is named. Give --base-url, or set OPENAI_BASE_URL, OPENAI_API_KEY or OPENROUTER_API_KEY.';
    return [await controlCheck, { server: 'model', url: '', isOk: false, message }];
  }
  const modelCheck = check('model', modelServer.url, async () => {
    const models = await listModels(modelServer);
    const { model } = modelServer;
    if (model !== undefined && !models.includes(model)) {
      throw new Error(`it has no model ${model}; it offers ${describe(models)}. Choose one with --model`);
    }
    return model === undefined ? `it offers ${describe(models)}` : `it offers ${model}`;
  });
  return Promise.all([controlCheck, modelCheck]);
}

const MOST_NAMED = 5;

function describe(models: readonly string[]): string {
  const more = models.length - MOST_NAMED;
  const named = models.slice(0, MOST_NAMED).join(', ');
  return models.length === 0 ? 'none' : `${named}${more > 0 ? ` and ${more} more` : ''}`;
}

async function check(server: ServerCheck['server'], url: string, ask: () => Promise<string>): Promise<ServerCheck> {
  try {
    return { server, url, isOk: true, message: await ask() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = server === 'control' ? ' `lachesis up` starts it; --server names another.' : '';
    return { server, url, isOk: false, message: `${reason.replace(/\.$/, '')}.${remedy}` };
  }
}
