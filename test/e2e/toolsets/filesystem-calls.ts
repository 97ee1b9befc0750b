import { join } from 'node:path';

/** One right call of each tool of `@modelcontextprotocol/server-filesystem`, as the toolset `files`, in an order in which each works. */
export function listFilesystemCalls(folder: string): (readonly [tool: string, args: object])[] {
  const note = join(folder, 'note.txt');
  const calls: [string, object][] = [
    ['write_file', { path: note, content: 'moss\n' }],
    ['read_file', { path: note }],
    ['read_text_file', { path: note }],
    ['read_media_file', { path: join(folder, 'stone.png') }],
    ['read_multiple_files', { paths: [note] }],
    ['edit_file', { path: note, edits: [{ oldText: 'moss', newText: 'fern' }] }],
    ['create_directory', { path: join(folder, 'shade') }],
    ['list_directory', { path: folder }],
    ['list_directory_with_sizes', { path: folder }],
    ['directory_tree', { path: folder }],
    ['search_files', { path: folder, pattern: '*.txt' }],
    ['get_file_info', { path: note }],
    ['list_allowed_directories', {}],
    ['move_file', { source: note, destination: join(folder, 'shade', 'note.txt') }],
  ];
  return calls.map(([name, args]) => [`files_${name}`, args] as const);
}
