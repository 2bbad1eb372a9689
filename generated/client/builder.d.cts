// Made by `make generate` from contract/. Do not edit.
import type { Any } from './api.cjs';
declare const target: unique symbol;
declare const variable: unique symbol;
/** A step of a group. `Target` are the groups that it leads to, `Variable` the variables that it names. */
export interface Step<Target extends string = string, Variable extends string = string> {
    readonly [target]?: Target;
    readonly [variable]?: Variable;
    /** Adds the step to a flow. */
    readonly build: (flow: Building) => void;
}
/** A flow in the making, and the group that steps are added to. */
interface Building {
    groupId: string;
    blocks: Any[];
    /** The next free id for a block of a type in this group. */
    idFor(type: string, given?: string): string;
    variableId(name: string): string;
    /** Adds an edge from a part of the flow to a group. */
    connect(source: Any, from: BuiltEdge['from'], groupId: string): void;
    /** Throws if there is no such group. */
    findGroup(groupId: string): void;
}
interface BuiltEdge {
    id: string;
    from: {
        eventId?: string;
        blockId?: string;
        itemId?: string;
    };
    to: {
        groupId: string;
    };
}
/** A bot as create and update take it. */
export interface BuiltBot {
    version: '6.1';
    name: string;
    groups: Any[];
    events: Any[];
    edges: BuiltEdge[];
    variables: {
        id: string;
        name: string;
    }[];
    theme?: Any;
    settings?: Any;
}
/** An id of your own, for a step that later changes its place. */
export interface StepOptions {
    id?: string;
}
export type InputType = 'text input' | 'number input' | 'email input' | 'url input' | 'phone number input' | 'date input' | 'time input' | 'rating input' | 'file input';
export type Operator = 'Equal to' | 'Not equal' | 'Contains' | 'Does not contain' | 'Greater than' | 'Less than' | 'Greater or equal to' | 'Less or equal to' | 'Is set' | 'Is empty';
/**
 * Makes a bot of groups of steps. A chat begins with the first group, or with the one that `start` names. Every group
 * that a step leads to is one of `groups`, and every variable one of `variables`.
 */
export declare function defineBot<const Group extends string, const Variable extends string = never>(bot: {
    name: string;
    variables?: readonly Variable[];
    start?: NoInfer<Group>;
    groups: {
        readonly [Name in Group]: readonly Step<NoInfer<Group>, NoInfer<Variable>>[];
    };
    theme?: Any;
    settings?: Any;
}): BuiltBot;
/** Says a text. It may hold variables: `{{Name}}`. */
export declare function text(plainText: string, { id }?: StepOptions): Step<never, never>;
/** Adds an input and stores the answer in a variable. */
export declare function ask<const Variable extends string>(type: InputType, variable: Variable, options?: Record<string, Any> & StepOptions): Step<never, Variable>;
/** Offers buttons. Each leads to a group, or with null to the next step. */
export declare function choose<const Target extends string = never, const Variable extends string = never>(choices: {
    readonly [content: string]: Target | null;
}, { saveAs, id, ...options }?: {
    saveAs?: Variable;
} & Record<string, Any> & StepOptions): Step<Target, Variable>;
/** Leads to a group if a comparison holds; else the next step follows. */
export declare function when<const Target extends string, const Variable extends string>(variable: Variable, comparisonOperator: Operator, value: string, then: Target, { id }?: StepOptions): Step<Target, Variable>;
/** Sets a variable to a text, in which other variables may be. */
export declare function set<const Variable extends string>(variable: Variable, value: string, { id }?: StepOptions): Step<never, Variable>;
/** Goes on with another group. */
export declare function goTo<const Target extends string>(groupId: Target, { id }?: StepOptions): Step<Target, never>;
/** Any other block, with its type and properties; it gets an id of its own. */
export declare function block(given: {
    type: string;
} & Record<string, Any>): Step<never, never>;
export {};
