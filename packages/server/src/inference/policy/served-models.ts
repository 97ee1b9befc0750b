import { LachesisError, type ActivePolicy } from '@lachesis/protocol';
import type { CompletionCall } from '../calls/completion-call.ts';
import type { PolicyHolder } from './holder.ts';
import type { PromotedModels } from './promoted-follower.ts';

/** One version of a registered model: whoever asks for it means no other. */
const VERSIONED_NAME = /^.+@\d+$/;

export interface ServedModelsOptions {
  holder: Pick<PolicyHolder, 'acquire' | 'state'>;
  /** The name the policy is served under. */
  modelName: string;
  promoted?: PromotedModels | undefined;
}

/** Which models may be asked for here. */
export interface ServedModels {
  /** What `GET /v1/models` lists: the name, and the version that it stands for. */
  list(): Promise<string[]>;
  /** The call for the model that was asked for, held to the policy that is it; refuses another. */
  choose(asked: string | null | undefined, call: CompletionCall): Promise<CompletionCall>;
}

/**
 * A server that follows a name answers for that name and the version it stands for, and for nothing else. One that serves
 * what a trainer publishes is asked under whatever name an environment has for it; a version of a model it does not have.
 */
export function createServedModels({ holder, modelName, promoted }: ServedModelsOptions): ServedModels {
  /** A version is called what it was registered as. */
  const names = new Map<string, string>();

  async function nameOf(active: ActivePolicy | null): Promise<string | undefined> {
    const id = active?.model_version_id;
    if (id === undefined || promoted?.nameOf === undefined) return undefined;
    const known = names.get(id) ?? (await promoted.nameOf(id));
    if (known !== undefined) names.set(id, known);
    return known;
  }

  async function list(): Promise<string[]> {
    const version = await nameOf(holder.state.active);
    return [modelName, ...(version === undefined ? [] : [version])];
  }

  return {
    list,
    async choose(asked, call) {
      if (asked === undefined || asked === null || asked === '' || asked === modelName) return call;
      const isOpen = promoted === undefined && !VERSIONED_NAME.test(asked);
      if (isOpen) return call;
      // Who comes while the first weights are loaded waits for them, as everybody does.
      const { policy, release } = await holder.acquire({ signal: call.signal });
      release();
      if ((await nameOf(policy)) === asked) {
        // The next version may be promoted before this one has answered.
        return { ...call, wantedPolicy: call.wantedPolicy ?? policy.policy_version };
      }
      throw notServed(asked, await list());
    },
  };
}

const notServed = (asked: string, served: readonly string[]): LachesisError =>
  new LachesisError({
    code: 'not-found',
    message: `the model ${JSON.stringify(asked.slice(0, 100))} is not served here; ${served.join(' and ')} ${served.length === 1 ? 'is' : 'are'}`,
    hint: 'Ask for what GET /v1/models lists, or serve the other with `lachesis serve inference --model <name>` after `lachesis models promote <name>@<version>`.',
    issues: [{ sequence: null, field: 'model', message: 'is not served here' }],
  });
