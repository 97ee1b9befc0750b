import type { ChatMessage } from '@lachesis/protocol';
import type { Completion, PolicyRequest, Policy } from './policy.ts';
import { textOf } from './read-completions.ts';

/** What a scripted policy answers to one call. */
export interface ScriptedReply {
  readonly text: string;
  readonly finishReason?: string;
  readonly toolCalls?: ChatMessage['tool_calls'];
  readonly policyVersion?: number;
}

/** What the script answers to one sample of a request; throwing fails the request. */
export type Script = (
  request: PolicyRequest,
  sample: number,
) => string | ScriptedReply | Promise<string | ScriptedReply>;

const END_OF_TURN = 3;

/** A policy for tests and checks: answers come from a function, and every letter is a token. */
export function createScriptedPolicy(script: Script): Policy {
  return {
    complete: async (request) => {
      const prompt = Int32Array.from([...request.messages.flatMap(encodeMessage), ...encodeText('assistant:')]);
      return Promise.all(
        Array.from({ length: request.samples }, async (_, sample): Promise<Completion> => {
          const given = await script(request, sample);
          const reply = typeof given === 'string' ? { text: given } : given;
          const tokens = Int32Array.from([...encodeText(reply.text), END_OF_TURN]);
          return {
            text: reply.text,
            message: {
              role: 'assistant',
              content: reply.text,
              ...(reply.toolCalls ? { tool_calls: reply.toolCalls } : {}),
            },
            promptTokens: prompt,
            tokens,
            logprobs: new Float32Array(tokens.length).fill(-0.5),
            finishReason: reply.finishReason ?? 'stop',
            policyVersion: reply.policyVersion ?? 0,
          };
        }),
      );
    },
  };
}

const encodeMessage = ({ role, content }: ChatMessage): number[] => [
  ...encodeText(`${role}:${textOf(content)}`),
  END_OF_TURN,
];

const encodeText = (text: string): number[] => Array.from(text, (letter) => letter.codePointAt(0) ?? 0);
