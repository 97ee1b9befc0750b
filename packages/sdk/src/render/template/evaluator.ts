import { PythonFloat } from '../python/python-float.ts';
import { formatPythonText } from '../python/python-text.ts';
import { GENERATION_VARIABLE } from './compile-template.ts';
import { applyFilter } from './filters.ts';
import { iterate, readAttribute, readSlice, readSubscript } from './members.ts';
import type { CallNode, IdentifierNode, Node } from './nodes.ts';
import { applyBinary } from './operators.ts';
import { Scope } from './scope.ts';
import { applyTest } from './tests.ts';
import type { TextMark } from './text-mark.ts';
import {
  type CallArguments,
  Callable,
  type Dict,
  Namespace,
  Tuple,
  Undefined,
  type Value,
  isInteger,
  isTruthy,
  nameType,
  orUndefined,
  readName,
  templateFailure,
} from './values.ts';

export interface EvaluatorEvents {
  /** One turn of a loop over messages wrote [start, end) of the output. */
  onItem(item: Dict, start: number, end: number): void;
  /** The template said that what follows is, or is no longer, written by the model. */
  onGeneration(isOpen: boolean, at: number): void;
}

/** Thrown through the blocks of a loop up to the loop; no failure, so it carries no stack. */
class LoopExit {
  readonly kind: 'break' | 'continue';
  constructor(kind: 'break' | 'continue') {
    this.kind = kind;
  }
}

/** A template that ends no loop is a bug or an attack; the longest real prompt has some thousand messages. */
const ITERATION_LIMIT = 5_000_000;

/** Runs the syntax tree of a chat template as Python's Jinja would. */
export class Evaluator {
  readonly #mark: TextMark;
  readonly #events: EvaluatorEvents;
  #output = '';
  #captures = 0;
  #iterations = 0;

  constructor(mark: TextMark, events: EvaluatorEvents) {
    this.#mark = mark;
    this.#events = events;
  }

  run(program: Node, globals: Scope): string {
    this.#execute(program, globals);
    return this.#output;
  }

  #executeAll(nodes: readonly Node[], scope: Scope): void {
    for (const node of nodes) this.#execute(node, scope);
  }

  #execute(node: Node, scope: Scope): void {
    switch (node.type) {
      case 'Program':
        this.#executeAll(node.body, scope);
        return;
      case 'Comment':
        return;
      case 'If':
        this.#executeAll(isTruthy(this.#evaluate(node.test, scope)) ? node.body : node.alternate, scope);
        return;
      case 'For':
        this.#executeFor(node, scope);
        return;
      case 'Set':
        this.#executeSet(node, scope);
        return;
      case 'Macro':
        scope.write(node.name.value, this.#createMacro(node.args, node.body, scope));
        return;
      case 'CallStatement': {
        const inner = new Scope(scope);
        inner.write('caller', this.#createMacro(node.callerArgs ?? [], node.body, scope));
        const macro = this.#evaluate(node.call.callee, scope);
        const args = this.#evaluateArguments(node.call.args, scope);
        const named = new Map(args.named).set('caller', inner.read('caller'));
        this.#write(this.#call(macro, { ...args, named }));
        return;
      }
      case 'FilterStatement': {
        const body = this.#capture(() => this.#executeAll(node.body, new Scope(scope)));
        this.#write(this.#filter(body, node.filter, scope));
        return;
      }
      case 'Break':
      case 'Continue':
        // oxlint-disable-next-line typescript/only-throw-error -- control flow, caught by the loop
        throw new LoopExit(node.type === 'Break' ? 'break' : 'continue');
      default:
        this.#write(this.#evaluate(node, scope));
    }
  }

  #write(value: Value): void {
    this.#output += formatPythonText(value, this.#mark);
  }

  #capture(write: () => void): string {
    const outer = this.#output;
    this.#output = '';
    this.#captures += 1;
    try {
      write();
      return this.#output;
    } finally {
      this.#captures -= 1;
      this.#output = outer;
    }
  }

  #executeSet(node: Extract<Node, { type: 'Set' }>, scope: Scope): void {
    if (node.assignee.type === 'Identifier' && node.assignee.value === GENERATION_VARIABLE) {
      const isOpen = isTruthy(this.#evaluate(node.value ?? node, scope));
      if (this.#captures === 0) this.#events.onGeneration(isOpen, this.#output.length);
      return;
    }
    const value =
      node.value === null
        ? this.#capture(() => this.#executeAll(node.body, new Scope(scope)))
        : this.#evaluate(node.value, scope);
    this.#assign(node.assignee, value, scope);
  }

  #assign(target: Node, value: Value, scope: Scope): void {
    if (target.type === 'Identifier') {
      scope.write(target.value, value);
    } else if (target.type === 'TupleLiteral') {
      const items = iterate(value, this.#mark);
      if (items.length !== target.value.length)
        throw templateFailure(`${items.length} values for ${target.value.length} names`);
      for (const [index, name] of target.value.entries()) this.#assign(name, items[index] ?? null, scope);
    } else if (target.type === 'MemberExpression' && target.property.type === 'Identifier') {
      const object = this.#evaluate(target.object, scope);
      if (!(object instanceof Namespace)) throw templateFailure('only a namespace can be changed');
      object.attributes.set(target.property.value, value);
    } else {
      throw templateFailure(`${target.type} cannot be set`);
    }
  }

  #executeFor(node: Extract<Node, { type: 'For' }>, scope: Scope): void {
    const [source, test] =
      node.iterable.type === 'SelectExpression' ? [node.iterable.lhs, node.iterable.test] : [node.iterable, undefined];
    const items = iterate(this.#evaluate(source, scope), this.#mark).filter((item) => {
      if (test === undefined) return true;
      const inner = new Scope(scope);
      this.#assign(node.loopvar, item, inner);
      return isTruthy(this.#evaluate(test, inner));
    });
    if (items.length === 0) {
      this.#executeAll(node.defaultBlock, new Scope(scope));
      return;
    }
    const changes: { last: Value[] | undefined } = { last: undefined };
    for (const [index, item] of items.entries()) {
      this.#iterations += 1;
      if (this.#iterations > ITERATION_LIMIT) throw templateFailure('its loops do not end');
      const inner = new Scope(scope);
      inner.write('loop', this.#describeLoop(items, index, changes));
      this.#assign(node.loopvar, item, inner);
      if (!this.#executeTurn(node.body, inner, item)) return;
    }
  }

  /** Returns false when the loop is to end. */
  #executeTurn(body: readonly Node[], scope: Scope, item: Value): boolean {
    const start = this.#output.length;
    try {
      this.#executeAll(body, scope);
    } catch (error) {
      if (!(error instanceof LoopExit)) throw error;
      if (error.kind === 'break') return false;
    } finally {
      if (item instanceof Map && this.#captures === 0) this.#events.onItem(item, start, this.#output.length);
    }
    return true;
  }

  #describeLoop(items: readonly Value[], index: number, changes: { last: Value[] | undefined }): Dict {
    return new Map<Value, Value>([
      ['index', index + 1],
      ['index0', index],
      ['revindex', items.length - index],
      ['revindex0', items.length - index - 1],
      ['first', index === 0],
      ['last', index === items.length - 1],
      ['length', items.length],
      ['depth', 1],
      ['depth0', 0],
      ['previtem', orUndefined(items[index - 1], 'loop.previtem')],
      ['nextitem', orUndefined(items[index + 1], 'loop.nextitem')],
      ['cycle', new Callable(({ positional }) => orUndefined(positional[index % positional.length], 'loop.cycle'))],
      [
        'changed',
        new Callable(({ positional }) => {
          const hasChanged =
            changes.last === undefined || applyBinary('!=', changes.last, [...positional], this.#mark) === true;
          changes.last = [...positional];
          return hasChanged;
        }),
      ],
    ]);
  }

  #createMacro(parameters: readonly Node[], body: readonly Node[], scope: Scope): Callable {
    const names = parameters.map((parameter) => {
      if (parameter.type === 'Identifier') return { name: parameter.value, absent: undefined };
      if (parameter.type === 'KeywordArgumentExpression') return { name: parameter.key.value, absent: parameter.value };
      throw templateFailure('a macro has a parameter without a name');
    });
    return new Callable((args) => {
      const inner = new Scope(scope);
      for (const [index, { name, absent }] of names.entries()) {
        const positional = args.positional[index];
        const given = positional === undefined ? args.named.get(name) : positional;
        if (given === undefined && absent !== undefined) inner.write(name, this.#evaluate(absent, inner));
        else inner.write(name, orUndefined(given, name));
      }
      const isKnown = (name: string): boolean => names.some((parameter) => parameter.name === name);
      inner.write('varargs', new Tuple(args.positional.slice(names.length)));
      inner.write(
        'kwargs',
        new Map<Value, Value>([...args.named].filter(([name]) => !isKnown(name) && name !== 'caller')),
      );
      const caller = args.named.get('caller');
      if (caller !== undefined) inner.write('caller', caller);
      return this.#capture(() => this.#executeAll(body, inner));
    });
  }

  #evaluate(node: Node, scope: Scope): Value {
    switch (node.type) {
      case 'StringLiteral':
      case 'IntegerLiteral':
        return node.value;
      case 'FloatLiteral':
        return new PythonFloat(node.value);
      case 'Identifier':
        return scope.read(node.value);
      case 'ArrayLiteral':
        return node.value.map((item) => this.#evaluate(item, scope));
      case 'TupleLiteral':
        return new Tuple(node.value.map((item) => this.#evaluate(item, scope)));
      case 'ObjectLiteral':
        return new Map(
          Array.from(node.value, ([key, value]) => [this.#evaluate(key, scope), this.#evaluate(value, scope)]),
        );
      case 'MemberExpression':
        return this.#evaluateMember(node, scope);
      case 'CallExpression':
        return this.#call(this.#evaluate(node.callee, scope), this.#evaluateArguments(node.args, scope));
      case 'UnaryExpression':
        return this.#evaluateUnary(node.operator.value, this.#evaluate(node.argument, scope));
      case 'BinaryExpression':
        return this.#evaluateBinary(node, scope);
      case 'FilterExpression':
        return this.#filter(this.#evaluate(node.operand, scope), node.filter, scope);
      case 'TestExpression':
        return applyTest(node.test.value, this.#evaluate(node.operand, scope), null, this.#mark) !== node.negate;
      case 'SelectExpression':
        return isTruthy(this.#evaluate(node.test, scope))
          ? this.#evaluate(node.lhs, scope)
          : new Undefined('if without else');
      case 'Ternary':
        return this.#evaluate(isTruthy(this.#evaluate(node.condition, scope)) ? node.trueExpr : node.falseExpr, scope);
      default:
        throw templateFailure(`${node.type} has no value`);
    }
  }

  #evaluateMember(node: Extract<Node, { type: 'MemberExpression' }>, scope: Scope): Value {
    const object = this.#evaluate(node.object, scope);
    const { property } = node;
    if (property.type === 'SliceExpression') {
      const read = (bound: Node | undefined): Value => (bound === undefined ? null : this.#evaluate(bound, scope));
      const bounds = { start: read(property.start), stop: read(property.stop), step: read(property.step) };
      return readSlice(object, bounds, this.#mark);
    }
    if (node.computed) return readSubscript(object, this.#evaluate(property, scope), this.#mark);
    if (property.type === 'IntegerLiteral') return readSubscript(object, property.value, this.#mark);
    if (property.type !== 'Identifier') throw templateFailure(`${property.type} cannot follow a dot`);
    return readAttribute(object, property.value, this.#mark);
  }

  #evaluateUnary(operator: string, value: Value): Value {
    if (operator === 'not') return !isTruthy(value);
    const sign = operator === '-' ? -1 : 1;
    if (value instanceof PythonFloat) return new PythonFloat(sign * value.value);
    if (typeof value === 'boolean') return sign * Number(value) + 0;
    if (!isInteger(value)) throw templateFailure(`${nameType(value)} has no sign`);
    return typeof value === 'bigint' ? BigInt(sign) * value : sign * value + 0;
  }

  #evaluateBinary(node: Extract<Node, { type: 'BinaryExpression' }>, scope: Scope): Value {
    const left = this.#evaluate(node.left, scope);
    if (node.operator.value === 'and') return isTruthy(left) ? this.#evaluate(node.right, scope) : left;
    if (node.operator.value === 'or') return isTruthy(left) ? left : this.#evaluate(node.right, scope);
    return applyBinary(node.operator.value, left, this.#evaluate(node.right, scope), this.#mark);
  }

  #filter(value: Value, filter: IdentifierNode | CallNode, scope: Scope): Value {
    if (filter.type === 'Identifier') {
      return applyFilter(filter.value, value, { positional: [], named: new Map() }, this.#mark);
    }
    if (filter.callee.type !== 'Identifier') throw templateFailure('a filter has no name');
    return applyFilter(filter.callee.value, value, this.#evaluateArguments(filter.args, scope), this.#mark);
  }

  #call(value: Value, args: CallArguments): Value {
    if (!(value instanceof Callable)) throw templateFailure(`${nameType(value)} is called`);
    return value.call(args);
  }

  #evaluateArguments(nodes: readonly Node[], scope: Scope): CallArguments {
    const positional: Value[] = [];
    const named = new Map<string, Value>();
    for (const node of nodes) {
      if (node.type === 'KeywordArgumentExpression') {
        named.set(node.key.value, this.#evaluate(node.value, scope));
      } else if (node.type === 'SpreadExpression') {
        positional.push(...iterate(this.#evaluate(node.argument, scope), this.#mark));
      } else if (node.type === 'KeywordSpreadExpression') {
        const spread = this.#evaluate(node.argument, scope);
        if (!(spread instanceof Map)) throw templateFailure(`${nameType(spread)} holds no named arguments`);
        for (const [key, value] of spread) named.set(readName(key), value);
      } else {
        positional.push(this.#evaluate(node, scope));
      }
    }
    return { positional, named };
  }
}
