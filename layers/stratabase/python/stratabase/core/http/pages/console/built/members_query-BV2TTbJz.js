import{t as e}from"./queryOptions-MUTzEo2G.js";import{t}from"./graphql-ClWLLw3M.js";function n(e){return e}var r=50,i=`query Members($options: _UserPageOptions) {
  _User___getPage(options: $options) {
    items { _id username email profile disabled }
    totalCount
    hasNext
    nextCursor
  }
}`,a=`query MemberDetails($id: ID!) {
  _User___get(_id: $id) { notes language timeZone dateFormat timeFormat }
}`;function o({search:e,profile:t,state:n}){let r=e.trim();return{...r?{OR:[{username___contains:r},{email___contains:r}]}:{},...t?{profile___eq:t}:{},...n?{disabled___eq:n===`disabled`}:{}}}async function s(e,n,a){let s={filter:o(e),orderBy:[`username___ASC`],next:r,...n?{cursor:n}:{}},{data:c}=await t(i,{options:s},a);return c._User___getPage}var c=e=>n({queryKey:[`members`,`list`,e],queryFn:({pageParam:t,signal:n})=>s(e,t,n),initialPageParam:null,getNextPageParam:e=>e.hasNext?e.nextCursor:null}),l=t=>e({queryKey:[`members`,`suggestions`,t],queryFn:async({signal:e})=>(await s({search:t,profile:``,state:``},null,e)).items}),u=n=>e({queryKey:[`members`,n,`details`],queryFn:async()=>(await t(a,{id:n})).data._User___get});export{n as i,l as n,c as r,u as t};