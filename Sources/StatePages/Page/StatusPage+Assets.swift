extension StatusPage {
    /// The style of the page.
    static let style = """
        :root{--bg:#f6f7f8;--card:#fff;--ink:#16191d;--dim:#56606a;--line:#dfe3e8;--good:#1a7f4b;--doubtful:#8f5600;\
        --bad:#c3302b;--unknown:#56606a}
        @media(prefers-color-scheme:dark){:root{--bg:#101316;--card:#181c20;--ink:#e9edf0;--dim:#9aa5af;--line:#2a3036;\
        --good:#46c487;--doubtful:#e9a83c;--bad:#ff766e;--unknown:#9aa5af}}
        *{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);\
        font:clamp(15px,1.1vw,24px)/1.45 system-ui,sans-serif;font-variant-numeric:tabular-nums}
        main{max-width:72rem;margin:0 auto;padding:1.2rem 1rem 3rem}
        header{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.5rem;margin-bottom:.8rem}
        header span,footer,p,time,small{color:var(--dim)}footer{margin-top:1.5rem}p{margin:.15rem 0}
        p.do{color:var(--ink)}h1{font-size:1.8em;line-height:1.2;margin:0 0 .3rem}h2{font-size:1em;margin:1.6rem 0 .5rem}
        .card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.8rem 1rem;\
        overflow-wrap:anywhere}
        section.card{border-left:6px solid var(--unknown)}section.good{border-left-color:var(--good)}
        section.doubtful{border-left-color:var(--doubtful)}section.bad{border-left-color:var(--bad)}
        .sign{font-weight:700}.sign.good{color:var(--good)}.sign.doubtful{color:var(--doubtful)}
        .sign.bad{color:var(--bad)}.sign.unknown{color:var(--unknown)}
        .grid{display:grid;gap:.8rem;grid-template-columns:repeat(auto-fit,minmax(min(16rem,100%),1fr))}
        table{width:100%;border-collapse:collapse}td,th{padding:.4rem .5rem .4rem 0;text-align:left;vertical-align:top}
        tbody tr{border-top:1px solid var(--line)}thead th{color:var(--dim);font-weight:500}
        ol{list-style:none;margin:0;padding:0}li{display:flex;flex-wrap:wrap;gap:.2rem .8rem;padding:.4rem 0;\
        border-top:1px solid var(--line)}li:first-child{border:0}li span{flex:1 1 16rem}
        code{font-family:ui-monospace,monospace;font-size:.9em}
        a{color:inherit}:focus-visible{outline:3px solid currentColor;outline-offset:2px}
        @media(max-width:30rem){thead{position:absolute;clip-path:inset(50%)}tr{display:flex;flex-wrap:wrap;gap:0 .8rem}\
        tbody th{flex-basis:100%;padding-bottom:0}}
        """

    /// The script of the page.
    ///
    /// At each event the document is taken again, and its main part put in the place of the old one. Events that come together are one reload, and no two reloads run at the same time.
    static let script = """
        let timer=0,busy=false,again=false
        const say=text=>{document.getElementById('live').textContent=text}
        const reload=async()=>{timer=0
        if(busy){again=true;return}
        busy=true
        try{const text=await(await fetch('/',{cache:'no-store'})).text()
        const fresh=new DOMParser().parseFromString(text,'text/html')
        document.querySelector('main').replaceWith(fresh.querySelector('main'));document.title=fresh.title
        say('live')}catch{say('no answer from the agent')}
        busy=false
        if(again){again=false;soon()}}
        const soon=()=>{timer=timer||setTimeout(reload,100)}
        const events=new EventSource('/events')
        events.onmessage=soon
        events.addEventListener('lagged',soon)
        events.onerror=()=>say('no connection to the agent; trying again')
        """
}
