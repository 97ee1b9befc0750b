import type { TerminalTask } from '../terminal-task.ts';
import { findAndCount } from './find-and-count.ts';
import { folders } from './folders.ts';
import { programs } from './programs.ts';
import { tables } from './tables.ts';

export const TERMINAL_TASKS: readonly TerminalTask[] = [...findAndCount, ...tables, ...folders, ...programs];
