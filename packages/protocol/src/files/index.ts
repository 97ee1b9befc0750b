/** What processes of one machine hold files with. It needs Node; the entry point of the package does not load it. */
export { tryLock } from './try-lock.ts';
