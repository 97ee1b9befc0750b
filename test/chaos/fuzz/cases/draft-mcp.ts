import type { Random } from '../../simulation/random.ts';
import type { RequestDraft } from './draft-requests.ts';
import { pickText } from './hostile-values.ts';
import type { DraftOf } from './make-case.ts';
import { writeNoisyJson } from './write-noisy-json.ts';
import type { Json } from './write-noisy-json.ts';

const TOOLS = [
  ...['rl_list_environments', 'rl_select_environment', 'rl_get_current_config', 'rl_edit_config', 'rl_start_training'],
  ...['rl_check_status', 'rl_stop_training', 'rl_get_results', 'rl_list_runs', 'rl_test_inference', 'none'],
];

export const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'fuzz', version: '1' },
};

/** What a client of the Model Context Protocol posts; the server behind it says no to nearly all of it. */
const CALLS: readonly ((random: Random) => { method: string; params?: Json })[] = [
  () => ({ method: 'initialize', params: INITIALIZE }),
  () => ({ method: 'ping' }),
  () => ({ method: 'tools/list' }),
  () => ({ method: 'resources/list' }),
  () => ({ method: 'prompts/list' }),
  () => ({ method: 'notifications/initialized' }),
  (random) => ({ method: 'resources/read', params: { uri: `lachesis://${pickText(random).slice(0, 200)}` } }),
  (random) => ({
    method: 'tools/call',
    params: {
      name: random.pick(TOOLS),
      arguments: { name: pickText(random).slice(0, 500), run_id: random.pick(['..', 'a', '']), field: 'x', value: 1 },
    },
  }),
  (random) => ({ method: pickText(random).slice(0, 500), params: {} }),
];

/** The routes of the document that `listRoutes` makes of other servers; this one has none. */
export const MCP_ROUTES = ['POST /mcp', 'GET /mcp', 'DELETE /mcp'];

/** Requests over one session, and now and then without it or with none that exists. */
export const createMcpDrafts =
  (session: string): DraftOf =>
  (random) => {
    const route = random.pick(['POST /mcp', 'POST /mcp', 'POST /mcp', 'POST /mcp', 'DELETE /mcp', 'GET /mcp']);
    const [method = '', path = ''] = route.split(' ');
    const draft: RequestDraft = {
      ...{ route, run: '', method, path, body: null },
      headers: [
        ['host', '127.0.0.1'],
        ['accept', random.chance(0.9) ? 'application/json, text/event-stream' : '*/*'],
        ...pickSession(method, session, random),
      ],
    };
    if (method !== 'POST') return draft;
    const call = random.pick(CALLS)(random);
    const id = call.method.startsWith('notifications/') ? {} : { id: random.below(100) };
    const faults = random.pick([0, 0, 0, 0.7, 1, 2]);
    draft.body = Buffer.from(writeNoisyJson({ jsonrpc: '2.0', ...id, ...call }, { random, faults }));
    draft.headers.push(['content-type', 'application/json']);
    return draft;
  };

/** A stream that is asked for over the session stays open, and the session is to last: only posts name it. */
function pickSession(method: string, session: string, random: Random): [string, string][] {
  if (method === 'POST' && random.chance(0.8)) return [['mcp-session-id', session]];
  return random.chance(0.5) ? [['mcp-session-id', 'none']] : [];
}
