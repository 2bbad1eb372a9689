// Made by `make generate` from contract/. Do not edit.
/**
 * Makes a bot of groups of steps. A chat begins with the first group, or with the one that `start` names. Every group
 * that a step leads to is one of `groups`, and every variable one of `variables`.
 */
export function defineBot(bot) {
    const names = Object.keys(bot.groups);
    const first = bot.start ?? names[0];
    const edges = [];
    const findGroup = (groupId) => {
        if (!Object.hasOwn(bot.groups, groupId))
            throw new Error(`An edge leads to ${groupId}, which is no group`);
    };
    const connect = (source, from, groupId) => {
        findGroup(groupId);
        const id = `${from.itemId ?? from.blockId ?? from.eventId}-edge`;
        source.outgoingEdgeId = id;
        edges.push({ id, from, to: { groupId } });
    };
    const start = { id: 'start', type: 'start', graphCoordinates: { x: 0, y: 0 } };
    if (first !== undefined)
        connect(start, { eventId: 'start' }, first);
    const variables = (bot.variables ?? []).map((name) => ({ id: `var-${name}`, name }));
    const ids = new Set();
    const groups = names.map((groupId, index) => {
        const counts = new Map();
        const flow = {
            groupId,
            blocks: [],
            connect,
            findGroup,
            idFor(type, given) {
                const count = (counts.get(type) ?? 0) + 1;
                counts.set(type, count);
                const id = given ?? `${groupId}-${type.replaceAll(' ', '-')}-${count}`;
                if (ids.has(id))
                    throw new Error(`Two steps have the id ${id}`);
                ids.add(id);
                return id;
            },
            variableId(name) {
                const found = variables.find((one) => one.name === name);
                if (!found)
                    throw new Error(`There is no variable ${name}; list it in variables`);
                return found.id;
            },
        };
        for (const step of bot.groups[groupId])
            step.build(flow);
        const graphCoordinates = { x: 300 + 350 * index, y: 0 };
        return { id: groupId, title: groupId, graphCoordinates, blocks: flow.blocks };
    });
    const { name, theme, settings } = bot;
    return {
        version: '6.1',
        name,
        groups,
        events: [start],
        edges,
        variables,
        ...(theme === undefined ? {} : { theme }),
        ...(settings === undefined ? {} : { settings }),
    };
}
/** Says a text. It may hold variables: `{{Name}}`. */
export function text(plainText, { id } = {}) {
    return {
        build: (flow) => void flow.blocks.push({ id: flow.idFor('text', id), type: 'text', content: { plainText } }),
    };
}
/** Adds an input and stores the answer in a variable. */
export function ask(type, variable, options = {}) {
    const { id, ...rest } = options;
    return {
        build: (flow) => void flow.blocks.push({
            id: flow.idFor(type, id),
            type,
            options: { ...rest, variableId: flow.variableId(variable) },
        }),
    };
}
/** Offers buttons. Each leads to a group, or with null to the next step. */
export function choose(choices, { saveAs, id, ...options } = {}) {
    return {
        build(flow) {
            const blockId = flow.idFor('choice input', id);
            const items = Object.entries(choices).map(([content, groupId]) => {
                const item = { id: flow.idFor('item', `${blockId}-${wordsOf(content)}`), content };
                if (groupId !== null)
                    flow.connect(item, { blockId, itemId: item.id }, groupId);
                return item;
            });
            const saved = saveAs === undefined ? {} : { variableId: flow.variableId(saveAs) };
            flow.blocks.push({ id: blockId, type: 'choice input', items, options: { ...options, ...saved } });
        },
    };
}
/** Leads to a group if a comparison holds; else the next step follows. */
export function when(variable, comparisonOperator, value, then, { id } = {}) {
    return {
        build(flow) {
            const blockId = flow.idFor('Condition', id);
            const comparison = {
                id: `${blockId}-is`,
                variableId: flow.variableId(variable),
                comparisonOperator,
                value,
            };
            const item = { id: `${blockId}-1`, content: { logicalOperator: 'AND', comparisons: [comparison] } };
            flow.connect(item, { blockId, itemId: item.id }, then);
            flow.blocks.push({ id: blockId, type: 'Condition', items: [item] });
        },
    };
}
/** Sets a variable to a text, in which other variables may be. */
export function set(variable, value, { id } = {}) {
    return {
        build: (flow) => void flow.blocks.push({
            id: flow.idFor('Set variable', id),
            type: 'Set variable',
            options: { variableId: flow.variableId(variable), expressionToEvaluate: value },
        }),
    };
}
/** Goes on with another group. */
export function goTo(groupId, { id } = {}) {
    return {
        build(flow) {
            flow.findGroup(groupId);
            flow.blocks.push({ id: flow.idFor('Jump', id), type: 'Jump', options: { groupId } });
        },
    };
}
/** Any other block, with its type and properties; it gets an id of its own. */
export function block(given) {
    return { build: (flow) => void flow.blocks.push({ ...given, id: flow.idFor(given.type, given.id) }) };
}
/** Letters and digits of a text, for an id. */
function wordsOf(content) {
    return content.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60);
}
