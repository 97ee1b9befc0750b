/** The syntax tree of `@huggingface/jinja`, whose package exports the parser and not the types of its nodes. */
export type Node =
  | { type: 'Program'; body: Node[] }
  | { type: 'If'; test: Node; body: Node[]; alternate: Node[] }
  | { type: 'For'; loopvar: Node; iterable: Node; body: Node[]; defaultBlock: Node[] }
  | { type: 'Break' }
  | { type: 'Continue' }
  | { type: 'Comment'; value: string }
  | { type: 'Set'; assignee: Node; value: Node | null; body: Node[] }
  | { type: 'Macro'; name: IdentifierNode; args: Node[]; body: Node[] }
  | { type: 'CallStatement'; call: CallNode; callerArgs: Node[] | null; body: Node[] }
  | { type: 'FilterStatement'; filter: IdentifierNode | CallNode; body: Node[] }
  | { type: 'IntegerLiteral'; value: number }
  | { type: 'FloatLiteral'; value: number }
  | { type: 'StringLiteral'; value: string }
  | { type: 'ArrayLiteral'; value: Node[] }
  | { type: 'TupleLiteral'; value: Node[] }
  | { type: 'ObjectLiteral'; value: Map<Node, Node> }
  | IdentifierNode
  | CallNode
  | { type: 'MemberExpression'; object: Node; property: Node; computed: boolean }
  | SliceNode
  | { type: 'UnaryExpression'; operator: { value: string }; argument: Node }
  | { type: 'BinaryExpression'; operator: { value: string }; left: Node; right: Node }
  | { type: 'FilterExpression'; operand: Node; filter: IdentifierNode | CallNode }
  | { type: 'TestExpression'; operand: Node; negate: boolean; test: IdentifierNode }
  | { type: 'SelectExpression'; lhs: Node; test: Node }
  | { type: 'Ternary'; condition: Node; trueExpr: Node; falseExpr: Node }
  | { type: 'KeywordArgumentExpression'; key: IdentifierNode; value: Node }
  | { type: 'SpreadExpression'; argument: Node }
  | { type: 'KeywordSpreadExpression'; argument: Node };

export interface IdentifierNode {
  type: 'Identifier';
  value: string;
}

export interface CallNode {
  type: 'CallExpression';
  callee: Node;
  args: Node[];
}

export interface SliceNode {
  type: 'SliceExpression';
  start: Node | undefined;
  stop: Node | undefined;
  step: Node | undefined;
}
