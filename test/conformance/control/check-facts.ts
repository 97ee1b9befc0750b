import type { ControlFacts, ControlPlan } from '../../peers/aiohttp/run-control-client.ts';

export type Check = readonly [what: string, holds: boolean];

const FIELD_KEYS = ['name', 'type', 'default', 'description', 'current_value'];
const ROLES = ['api', 'trainer', 'env'];
const LONGEST_SECONDS = 25;

/** Everything the contract promises to such a client, checked against what it was told. */
export function checkFacts({ facts, failure }: ControlFacts, plan: ControlPlan): Check[] {
  const at = (name: string): Facts => asFacts(facts.get(name));
  const list = (name: string): Facts[] => asList(facts.get(name));
  const { environments, runs } = { environments: list('environments'), runs: asList(at('runs')['runs']) };
  const [field, value] = plan.edit;
  const status = at('status');
  const runId = at('started')['run_id'];
  return [
    ['it got to its end', failure === undefined],
    ['health is answered', at('health')['status'] === 'ok'],
    [
      'environments are a plain list with four keys each',
      environments.length > 0 &&
        environments.every((each) => hasKeys(each, ['name', 'class_name', 'file_path', 'description'])) &&
        environments.some(({ name }) => name === plan.environment),
    ],
    ['an unknown environment is refused', isRefusal(at('unknown environment'), 'no_such_one')],
    [
      'a selection has message, environment, file and config',
      hasKeys(at('selected'), ['message', 'environment', 'file_path', 'config']) &&
        at('selected')['environment'] === plan.environment,
    ],
    [
      'fields say name, type, default, description and current value',
      asList(at('config')['configurable_fields']).length > 0 &&
        asList(at('config')['locked_fields']).length > 0 &&
        [...asList(at('config')['configurable_fields']), ...asList(at('config')['locked_fields'])].every((each) =>
          hasKeys(each, FIELD_KEYS),
        ),
    ],
    [
      'an edit is there afterwards',
      asList(at('edited config')['configurable_fields']).some(
        (each) => each['name'] === field && each['current_value'] === value,
      ),
    ],
    [
      'locked, unknown and wrongly typed edits are refused by name',
      list('refused edits').length === plan.bad_edits.length &&
        list('refused edits').every((each) => isRefusal(each, String(each['field']))),
    ],
    [
      'a start answers with run id, status starting, environment, config, its path and logs',
      hasKeys(at('started'), ['run_id', 'environment', 'config', 'config_path']) &&
        at('started')['status'] === 'starting' &&
        typeof runId === 'string' &&
        /^\w{8}$/.test(runId) &&
        hasKeys(asFacts(at('started')['logs']), ROLES),
    ],
    ['an unknown run is refused', isRefusal(at('unknown run'), 'nosuchid')],
    [
      'the status has processes, running time, metrics and logs',
      hasKeys(status, ['status', 'running_time_minutes']) &&
        hasKeys(asFacts(status['processes']), ROLES) &&
        hasKeys(asFacts(status['logs']), ROLES) &&
        hasKeys(asFacts(status['metrics']), ['step', 'state']),
    ],
    [
      'the run came to its step',
      status['status'] === 'running' && Number(asFacts(status['metrics'])['step']) >= plan.minimum_step,
    ],
    ['the run is listed', runs.some((each) => each['run_id'] === runId)],
    ...(plan.prompts.length === 0
      ? []
      : [
          [
            'prompts are answered and scored',
            at('inference test')['status'] === 'completed' &&
              asList(at('inference test')['results']).length === plan.prompts.length,
          ] as const,
        ]),
    ['a stop ends it within 15 seconds', at('last status')['status'] === 'stopped'],
    [
      'results have final metrics, history and the path of the weights',
      hasKeys(at('results'), ['final_metrics', 'history', 'weights_path']),
    ],
    [`every call within ${LONGEST_SECONDS} seconds`, Number(facts.get('slowest')) < LONGEST_SECONDS],
  ];
}

type Facts = Readonly<Record<string, unknown>>;

const asFacts = (value: unknown): Facts => (typeof value === 'object' && value !== null ? (value as Facts) : {});
const asList = (value: unknown): Facts[] => (Array.isArray(value) ? value.map(asFacts) : []);
const hasKeys = (value: Facts, keys: readonly string[]): boolean => keys.every((key) => key in value);

/** Refused, and the reason names the thing. */
const isRefusal = ({ status, text }: Facts, thing: string): boolean =>
  typeof status === 'number' && status >= 400 && status < 500 && String(text).includes(thing);
