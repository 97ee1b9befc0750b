import { expect, test } from 'vitest';
import { createLocalProvider } from '../../sandbox/local/create-local-provider.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { AgentTool } from '../agent-tool.ts';
import { executeCodeTool } from './execute-code-tool.ts';
import { patchTool, readFileTool, writeFileTool } from './file-tools.ts';
import { processTool } from './process-tool.ts';
import { searchFilesTool } from './search-files-tool.ts';
import { terminalTool } from './terminal-tool.ts';

type Use = (tool: AgentTool, args: Record<string, unknown>) => Promise<unknown>;

/** The tests' own commands are trusted, so they run as this user. */
async function withTools(work: (use: Use, sandbox: Sandbox) => Promise<void>): Promise<void> {
  const provider = createLocalProvider();
  const sandbox = await provider.create({ owner: 'sandbox-tools-test' });
  const signal = new AbortController().signal;
  try {
    await work((tool, args) => tool.execute(args, { callId: 'a', signal, sandbox: async () => sandbox }), sandbox);
  } finally {
    await provider.close();
  }
}

test('terminal gives output and exit code, and files stay', () =>
  withTools(async (use) => {
    expect(await use(terminalTool, { command: 'echo hi > a; cat a; exit 3' })).toEqual({
      output: 'hi\n',
      exit_code: 3,
    });
    expect(await use(terminalTool, { command: 'cat a' })).toEqual({ output: 'hi\n', exit_code: 0 });
    expect(await use(terminalTool, { command: 'sleep 5', timeout: 0.1 })).toMatchObject({
      note: expect.stringContaining('took too long'),
    });
  }));

test('files are written, read in parts, and patched where the piece is found once', () =>
  withTools(async (use) => {
    await use(writeFileTool, { path: 'deep/a.txt', content: 'one\ntwo\ntwo\n' });
    expect(await use(readFileTool, { path: 'deep/a.txt', offset: 2, limit: 1 })).toEqual({
      content: '2|two',
      total_lines: 3,
      next_offset: 3,
    });
    await expect(use(patchTool, { path: 'deep/a.txt', old_string: 'two', new_string: '2' })).rejects.toThrow('2 times');
    await expect(use(patchTool, { path: 'deep/a.txt', old_string: 'six', new_string: '' })).rejects.toThrow(
      'not in it',
    );
    const all = { path: 'deep/a.txt', old_string: 'two', new_string: '$&', replace_all: true };
    expect(await use(patchTool, all)).toEqual({ path: 'deep/a.txt', replaced: 2 });
    expect(await use(readFileTool, { path: 'deep/a.txt' })).toEqual({ content: '1|one\n2|$&\n3|$&', total_lines: 3 });
    await expect(use(readFileTool, { path: 'absent' })).rejects.toThrow('absent');
  }));

test('a file that is no text is not patched', () =>
  withTools(async (use, sandbox) => {
    await sandbox.writeFile('b', Uint8Array.of(0xff, 0xfe, 0x00));
    await expect(use(patchTool, { path: 'b', old_string: 'x', new_string: '' })).rejects.toThrow('it is no text');
  }));

test('search finds lines and names, and takes no option from the model', () =>
  withTools(async (use) => {
    await use(writeFileTool, { path: 'src/a.py', content: 'def f():\n  return 1\n' });
    expect(await use(searchFilesTool, { pattern: 'return [0-9]' })).toEqual({
      matches: ['./src/a.py:2:  return 1'],
      total: 1,
    });
    expect(await use(searchFilesTool, { pattern: '*.py', target: 'files' })).toEqual({
      matches: ['./src/a.py'],
      total: 1,
    });
    expect(await use(searchFilesTool, { pattern: '--version' })).toEqual({ matches: [], total: 0 });
    await expect(use(searchFilesTool, { pattern: 'x', path: '--help' })).rejects.toThrow('was not searched');
    await expect(use(searchFilesTool, { pattern: '(' })).rejects.toThrow('was not searched');
  }));

test('code runs in both languages', () =>
  withTools(async (use) => {
    expect(await use(executeCodeTool, { language: 'python', code: 'print(6 * 7)' })).toEqual({
      output: '42\n',
      exit_code: 0,
    });
    const asked = use(executeCodeTool, { language: 'javascript', code: 'console.log(await 42)' });
    // Where node is not in the path of the sandbox, the model is told so.
    const answer = await asked.catch((error: unknown) => String(error));
    if (typeof answer === 'string') expect(answer).toContain('node is not in the sandbox');
    else expect(answer).toEqual({ output: '42\n', exit_code: 0 });
  }));

test('a process runs behind, and is polled, waited for and killed', () =>
  withTools(async (use) => {
    const { id } = (await use(processTool, { action: 'start', command: 'echo up; sleep 30' })) as { id: string };
    expect(await use(processTool, { action: 'list' })).toMatchObject({ processes: [{ id, is_running: true }] });
    expect(await use(processTool, { action: 'wait', id, timeout: 0.2 })).toMatchObject({ is_running: true });
    expect(await use(processTool, { action: 'poll', id })).toMatchObject({ output: 'up\n' });
    expect(await use(processTool, { action: 'kill', id })).toMatchObject({ is_running: false });
    await expect(use(processTool, { action: 'poll', id: 'p9' })).rejects.toThrow('There are: p1');
    await expect(use(processTool, { action: 'start' })).rejects.toThrow('start needs a command');
  }));

test('without a sandbox a tool says what is missing', async () => {
  const context = { callId: 'a', signal: new AbortController().signal };
  await expect(terminalTool.execute({ command: 'ls' }, context)).rejects.toThrow('this agent has no sandbox');
});
