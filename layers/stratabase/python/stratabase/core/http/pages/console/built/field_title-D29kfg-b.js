import{i as e}from"./messages-KKBf3f3S.js";import{r as t}from"./model-D6xy3ZkY.js";import{P as n}from"./console-CpawpHcB.js";import{l as r}from"./object-BQJ7Wq88.js";var i=`sourceRequestReference userMessage issueLevel issueReferenceType issueType entityID _clientId
  entityName attributeNames roleNames`,a={create:{write:`create`,validate:`validateCreate`,preview:`previewCreate`,draft:`DraftCreate`},update:{write:`update`,validate:`validateUpdate`,preview:`previewUpdate`,draft:`DraftUpdate`}};function o(e,n){return t(e,a[n].write)}function s(e,n){return t(e,a[n].preview)}function c(e,t,n){let i=t===`create`?`Create`:`Update`,a=p(t);return`mutation($data: ${e.name}${i}!${a.variable}, $forceWarnings: ForceWarnings) {
    object: ${e.name}___${t}(data: $data${a.value}, forceWarnings: $forceWarnings) {
      ${n} ${r(e)}
    }
  }`}function l(e,n){let{validate:r,draft:o}=a[n];return t(e,r)?`query($data: ${e.name}${o}!) {
    result: ${e.name}___${r}(data: $data) { isValid issues { ${i} } }
  }`:null}function u(e,t,n){let{preview:r,draft:i}=a[t],o=e.kind===`SINGLETON`,s=`after: ${e.name}___${r}(data: $data) { ${n} }`;if(t===`create`)return`query($data: ${e.name}${i}!) { ${s} }`;let c=o?{variable:``,value:``}:{variable:`$id: ID!, `,value:`(_id: $id)`};return`query(${c.variable}$data: ${e.name}${i}!) {
    before: ${e.name}___get${c.value} { ${n} }
    ${s}
  }`}function d(e){return`mutation($id: ID!, $ifRevision: ID, $forceWarnings: ForceWarnings) {
    result: ${e.name}___delete(_id: $id, ifRevision: $ifRevision, forceWarnings: $forceWarnings) { deleted }
  }`}function f(e,t){let n=t?`object: ${e.name}___get(_id: $id) { ${t} }`:``;return`query($id: ID!) {
    result: ${e.name}___validateDelete(_id: $id) { isValid issues { ${i} } }
    ${n}
  }`}function p(e){return e===`create`?{variable:``,value:``}:{variable:`, $ifRevision: ID`,value:`, ifRevision: $ifRevision`}}var m={_createdby:()=>e(`Created by`),_createdby_user:()=>e(`Created by (member)`),_createdon:()=>e(`Created on`),_lastmodifiedby:()=>e(`Last modified by`),_lastmodifiedby_user:()=>e(`Last modified by (member)`),_lastmodifiedon:()=>e(`Last modified on`),_ownedby:()=>e(`Owned by`),_ownedby_user:()=>e(`Owned by (member)`),_ownedon:()=>e(`Owned on`)};function h(e){return m[e]?.()??n(e)}export{d as a,l as c,o as i,c as l,i as n,u as o,s as r,f as s,h as t};