import type { RunAgentOptions } from '@lachesis/sdk/agent';
import type { AgentTerminal } from './agent-terminal.ts';

type ApprovalQuestion = Parameters<NonNullable<RunAgentOptions['approve']>>[0];
type Approve = NonNullable<RunAgentOptions['approve']>;

const RISKS = {
  acts: 'works outside the project: in a sandbox, on the web, or on a server of yours',
  writes: 'writes a file',
  changes: 'changes what the next run does',
  costs: 'uses compute that somebody pays for',
  destroys: 'ends something that does not come back',
} as const;

/** What a terminal acts on, and marks that turn the direction of what follows; tabs and ends of lines are ordinary. */
const HIDDEN = /(?![\t\r\n])[\p{Control}\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

const NOBODY = 'nobody is here who could allow it. Say what you would do, and stop; `--yes` would allow it.';

export interface ApproverOptions {
  terminal: AgentTerminal;
  /** Everything was allowed beforehand. */
  allowsAll: boolean;
}

/** Asks the person. What is not a yes is a no, and its words go to the model. */
export function createApprover({ terminal, allowsAll }: ApproverOptions): Approve {
  const always = new Set<string>();
  return async ({ call, risk, preview, signal }: ApprovalQuestion) => {
    const { paint, clean } = terminal;
    if (allowsAll || always.has(call.name)) return undefined;
    const args = preview ?? JSON.stringify(call.args);
    terminal.write(`\n${paint.yellow(`${clean(call.name)} ${RISKS[risk]}`)}\n${indent(clean(args))}\n`);
    if (HIDDEN.test(args)) terminal.write(`${paint.red('  it holds characters that cannot be shown here')}\n`);
    // Each end, each written file and each changed setting is a question of its own.
    const offersAlways = risk === 'costs' || risk === 'acts';
    const answer = await terminal.ask(
      `allow it? [y]es, [n]o${offersAlways ? ', [a]lways in this session' : ''}: `,
      signal,
    );
    if (answer === undefined) return NOBODY;
    const word = answer.trim().toLowerCase();
    if (offersAlways && (word === 'a' || word === 'always')) always.add(call.name);
    else if (word !== 'y' && word !== 'yes') return describeNo(answer.trim());
    return undefined;
  };
}

function describeNo(answer: string): string {
  const reason = answer.replace(/^no?\b[\s,.:;-]*/i, '');
  return reason === '' ? 'the person said no.' : `the person said no: ${reason}`;
}

const indent = (text: string): string => text.replaceAll(/^/gm, '  ');
