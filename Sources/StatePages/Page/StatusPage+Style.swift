extension StatusPage {
    /// The style of the page, for light and dark screens with a width of 320 px or more, for wall displays and for
    /// print; without animations.
    static let style = """
        :root{--ground:#f6f7f8;--card:#fff;--ink:#16191d;--dim:#56606a;--line:#dfe3e8;--good:#1a7f4b;--doubtful:#8f5600;\
        --bad:#c3302b;--unknown:#56606a;--full:#3d9169;--less:#b57100;--none:#7b858f;--range:#7fb89c;--median:#14663c}
        @media(prefers-color-scheme:dark){:root{--ground:#101316;--card:#181c20;--ink:#e9edf0;--dim:#9aa5af;\
        --line:#2a3036;--good:#46c487;--doubtful:#e9a83c;--bad:#ff766e;--unknown:#9aa5af;--full:#3a9d6d;\
        --less:#e9a83c;--none:#7b858f;--range:#2c7a55;--median:#8ce3b6}}
        *{box-sizing:border-box}
        body{margin:0 auto;max-width:76em;padding:1rem;background:var(--ground);color:var(--ink);\
        font:clamp(15px,.55vw + 9px,26px)/1.45 system-ui,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
        header,.row{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.2rem 1rem}
        header{margin-bottom:.7rem}
        #live,.dim,small,time,dt,summary,label{color:var(--dim)}
        #live.lost{color:var(--bad);font-weight:600}
        p,h1,h2,h3,ul,ol,dl,dd{margin:0;padding:0}
        .grid+p{margin-top:.5rem}
        p{margin:.15rem 0}
        h1{font-size:1.75em;line-height:1.2;margin-bottom:.2rem}
        h2{font-size:1.05em;margin:1.5rem 0 .5rem}
        h3{font-size:1.05em}
        small{font-size:.85em}
        code{font:.9em ui-monospace,monospace;background:var(--ground);border-radius:4px;padding:0 .25em}
        a{color:inherit;text-underline-offset:.15em}
        :focus-visible{outline:3px solid var(--ink);outline-offset:2px}
        .skip:not(:focus),.quiet{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);\
        white-space:nowrap}
        .card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.8rem 1rem}
        .answer{border-left:7px solid var(--unknown)}
        .answer.good{border-left-color:var(--good)}
        .answer.doubtful{border-left-color:var(--doubtful)}
        .answer.bad{border-left-color:var(--bad)}
        .problems{margin-top:.8rem}
        .problems h2{margin-top:0}
        .do{font-weight:500}
        .sign{font-weight:700}
        .sign.good{color:var(--good)}
        .sign.doubtful{color:var(--doubtful)}
        .sign.bad{color:var(--bad)}
        .sign.unknown{color:var(--unknown)}
        .tag{font-size:.8em;font-weight:400;color:var(--dim);border:1px solid var(--line);border-radius:9px;\
        padding:0 .5em;margin-left:.4em}
        .grid{display:grid;gap:.8rem;grid-template-columns:repeat(auto-fill,minmax(min(19em,100%),1fr))}
        ul{list-style:none}
        details ul{list-style:disc;padding-left:1.3em}
        summary{cursor:pointer;padding:.15rem 0}
        svg{display:block;width:100%}
        .bars{height:2.1rem;margin:.5rem 0 .2rem}
        .band{height:2.1rem;min-width:9em}
        .full{fill:var(--full)}
        .less{fill:var(--less)}
        .none{fill:var(--none)}
        .range{fill:var(--range)}
        .median{fill:var(--median)}
        .fail{fill:var(--bad)}
        table{width:100%;border-collapse:collapse}
        th,td{padding:.45rem .9rem .45rem 0;text-align:left;vertical-align:top}
        thead th{color:var(--dim);font-weight:500;padding-top:0;white-space:nowrap}
        tbody tr{border-top:1px solid var(--line)}
        .number{white-space:nowrap}
        .wide{width:24%}
        .lines li{padding:.4rem 0;border-top:1px solid var(--line)}
        .lines li:first-child{border:0}
        ol.lines{list-style:none}
        ol.lines li{display:grid;grid-template-columns:minmax(5.5em,auto) 1fr auto;gap:.1rem .9rem}
        ol.lines time{max-width:6em}
        [hidden],ol.lines li[hidden]{display:none}
        #filter:not([hidden]){display:flex;flex-wrap:wrap;gap:.4rem 1rem;align-items:baseline;margin-bottom:.5rem}
        select{font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--dim);border-radius:6px;\
        padding:.15em .4em;max-width:12em}
        footer{margin-top:1.6rem;color:var(--dim)}
        footer dl{display:flex;flex-wrap:wrap;gap:.3rem 1.6rem}
        footer p{display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin-top:.6rem}
        @media(max-width:56rem){thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}\
        tbody tr{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;padding:.5rem 0}\
        tbody tr:first-child{border:0}tbody th{flex-basis:100%}th,td{padding:0}\
        td[data-label]{display:flex;gap:.5em}td[data-label]::before{content:attr(data-label);color:var(--dim);white-space:nowrap}\
        td.wide{flex-basis:100%;width:auto}}
        @media(max-width:34rem){ol.lines li{grid-template-columns:1fr auto}ol.lines time{max-width:none}\
        ol.lines li>span{grid-column:1/-1;grid-row:2}h1{font-size:1.4em}.card{padding:.7rem .75rem}}
        @media(forced-colors:active){.full,.less,.none,.range,.median,.fail{fill:CanvasText;forced-color-adjust:none}}
        @media print{:root{--ground:#fff;--card:#fff;--ink:#000;--dim:#333;--line:#999;--good:#000;--doubtful:#000;\
        --bad:#000;--unknown:#000;--full:#888;--less:#000;--none:#555;--range:#bbb;--median:#000}\
        body{max-width:none;padding:0;font-size:10pt}#filter,.skip,footer p{display:none!important}\
        .card,article,li,tr{break-inside:avoid}ol.lines,ul.lines{break-inside:auto}svg{print-color-adjust:exact}}
        """
}
