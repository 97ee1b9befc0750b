import {
  readToolAnswer,
  type Script,
  type ScriptedMessage,
  type ScriptedStep,
} from '../../kit/start-scripted-model.ts';

export interface TrainingScriptOptions {
  environment: string;
  /** Fields that are edited, in order. */
  edits: Readonly<Record<string, unknown>>;
  /** Between two looks at the run, when the tool does not say. */
  pauseSeconds: number;
}

const FINAL = new Set(['completed', 'stopped', 'failed']);

/** A model that trains as the system prompt says: find, select, edit, start, look until it has ended, report. */
export function scriptTrainingRun({ environment, edits, pauseSeconds }: TrainingScriptOptions): Script {
  return (conversation) => {
    const count = (tool: string): number => listCalls(conversation).filter((name) => name === tool).length;
    const read = (tool: string): Record<string, unknown> => {
      const answer = readToolAnswer(conversation, tool);
      if (typeof answer !== 'object' || answer === null) throw new Error(`${tool} answered with no object`);
      // A run that has failed says why, and is an answer all the same.
      if ('error' in answer && typeof answer.error === 'string' && !('status' in answer))
        throw new Error(`${tool} failed: ${answer.error}`);
      return answer as Record<string, unknown>;
    };
    if (count('rl_list_environments') === 0) return { call: 'rl_list_environments' };
    if (count('rl_select_environment') === 0) {
      read('rl_list_environments');
      return { call: 'rl_select_environment', args: { name: environment } };
    }
    if (count('rl_get_current_config') === 0) {
      read('rl_select_environment');
      return { call: 'rl_get_current_config' };
    }
    const edited = count('rl_edit_config');
    if (edited > 0) read('rl_edit_config');
    const edit = Object.entries(edits)[edited];
    if (edit !== undefined) return { call: 'rl_edit_config', args: { field: edit[0], value: edit[1] } };
    if (count('rl_start_training') === 0) return { call: 'rl_start_training' };
    const { run_id: runId } = read('rl_start_training');
    return watch(String(runId));

    function watch(run: string): ScriptedStep {
      const look = { call: 'rl_check_status', args: { run_id: run } };
      if (count('rl_check_status') === 0) return look;
      const { status, next_check_in_seconds: seconds } = read('rl_check_status');
      if (!FINAL.has(String(status))) {
        const wait = {
          call: 'wait',
          args: { seconds: typeof seconds === 'number' ? Math.max(1, seconds) : pauseSeconds },
        };
        return listCalls(conversation).at(-1) === 'wait' ? look : wait;
      }
      if (count('rl_get_results') === 0) return { call: 'rl_get_results', args: { run_id: run } };
      return { say: JSON.stringify({ run_id: run, status, results: read('rl_get_results') }) };
    }
  };
}

function listCalls(conversation: readonly ScriptedMessage[]): string[] {
  return conversation.flatMap(({ tool_calls: calls }) => calls?.map(({ function: { name } }) => name) ?? []);
}
