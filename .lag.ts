import { chat, bot, text, set, idOf, closeSandbox } from './tests/support/chat.ts'
const variables=['A','B','C','List']
async function lag(name:string, f:()=>Promise<any>){ await new Promise(r=>setTimeout(r,20)); let longest=0,last=performance.now(); const t=setInterval(()=>{longest=Math.max(longest,performance.now()-last);last=performance.now()},1); const s=performance.now(); await f(); const d=performance.now()-s; longest=Math.max(longest,performance.now()-last); clearInterval(t); console.log(name,'total',d.toFixed(0),'longest block',longest.toFixed(0)) }
const big='x'.repeat(200_000)
await lag('warm',()=>chat(bot({a:[text('{{= 1 =}}')]})))
await lag('doubling',()=>chat(bot({ a: [{ ...set('A', '{{A}}{{A}}x'), to: 'a' }] }, { variables }),{options:{prefilledVariables:{A:'x'.repeat(1000)}}}))
await lag('list',()=>chat(bot({ a: [{ type: 'Set variable', options: { variableId: idOf('List'), type: 'Append value(s)', item: '{{A}}' }, to: 'a' }] }, { variables }),{options:{prefilledVariables:{A:'x'.repeat(10000)}}}))
await lag('smalllist',()=>chat(bot({ a: [{ type: 'Set variable', options: { variableId: idOf('List'), type: 'Append value(s)', item: '{{List}}' }, to: 'a' }] }, { variables }),{options:{prefilledVariables:{List:['','']}}}))
await lag('bubbles',()=>chat(bot({ a: [{ ...text('{{A}}'.repeat(50)), to: 'a' }] }, { variables }),{options:{prefilledVariables:{A:big}}}))
await lag('expressions',()=>chat(bot({ a: [{ ...set('A', 'while (true); return 1',{isCode:true}), to: 'a' }] }, { variables })))
await lag('unstoppable',()=>chat(bot({ a: [{ ...set('A', 'Array.prototype.indexOf.call({length:9e15},1)',{isCode:true}), to: 'a' }] }, { variables })))
for (const t of ['{{'.repeat(500_000), '{{='.repeat(300_000), '{{=}}'.repeat(200_000), '{{a}}'.repeat(200_000), '{{= =}}'.repeat(500), '{{A}}'.repeat(200_000)]) await lag(t.slice(0,8),()=>chat(bot({a:[text(t)]},{variables}),{options:{prefilledVariables:{A:big}}}))
const regexItems=[{id:'i',content:{comparisons:Array.from({length:1000},()=>({id:'c',variableId:idOf('A'),comparisonOperator:'Does not match regex',value:'^(a+)+$'}))}}]
await lag('regexes',()=>chat(bot({a:[{type:'Condition',items:regexItems}]},{variables}),{options:{prefilledVariables:{A:'a'.repeat(40)+'b'}}}))
const many=Array.from({length:5000},(_,i)=>'V'+i)
await lag('5000 vars loop',()=>chat(bot({ a: [{ ...set('V1', '1'), to: 'a' }] }, { variables:many }),{options:{prefilledVariables:Object.fromEntries(many.map(n=>[n,'abc']))}}))
await lag('5000 vars link loop',()=>chat(bot({ a: [{type:'Bot link',options:{botId:'b2',mergeResults:true},to:'a'}] }, { variables:many }),{linked:{b2:bot({a:[text('x')]},{id:'b2',variables:many})},options:{prefilledVariables:Object.fromEntries(many.map(n=>[n,'abc']))}}))
const cond={comparisons:[{id:'c',variableId:idOf('List'),comparisonOperator:'Contains',value:'{{B}}'}]}
const l=Array.from({length:60000},(_,i)=>'a')
await lag('list contains list',()=>chat(bot({a:[{type:'Condition',items:[{id:'i',content:cond}]}]},{variables}),{options:{prefilledVariables:{List:l,B:l.map(()=>'b')}}}))
await closeSandbox()
