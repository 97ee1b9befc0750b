import { makePng } from './make-png.ts';

const PICTURE = `data:image/png;base64,${makePng(7).toString('base64')}`;

/** One right call of each tool of the standard toolsets, in an order in which each finds what it needs. */
export const TOOL_CALLS: readonly (readonly [tool: string, args: object])[] = [
  ['web_search', { query: 'where does moss grow' }],
  ['web_extract', { urls: ['https://corpus.invalid/moss.md'] }],
  ['image_generate', { prompt: 'moss on a stone' }],
  ['vision_analyze', { image_url: PICTURE, question: 'What is it?' }],
  ['terminal', { command: 'echo moss' }],
  ['process', { action: 'list' }],
  ['write_file', { path: 'moss.txt', content: 'moss\n' }],
  ['read_file', { path: 'moss.txt' }],
  ['patch', { path: 'moss.txt', old_string: 'moss', new_string: 'fern' }],
  ['search_files', { pattern: 'fern' }],
  ['execute_code', { language: 'javascript', code: 'console.log(1)' }],
  ['memory', { action: 'add', content: 'moss grows on stones' }],
  ['todo', { todos: [{ id: '1', content: 'look', status: 'completed' }] }],
];
