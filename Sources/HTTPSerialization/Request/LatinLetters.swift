/// Transliteration of Latin letters to ASCII.
enum LatinLetters {
    /// Returns the text with Latin letters reduced to those of ASCII, and without all other characters beyond ASCII.
    ///
    /// Other scripts are left out, as AFNetworking does with characters that its transliteration cannot reduce.
    static func transliterated(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                result.unicodeScalars.append(scalar)
            } else if let letters = letters[scalar] {
                result += letters
            }
        }
        return result
    }

    /// The letters of ASCII for each Latin letter beyond it.
    ///
    /// By Unicode's names: `LATIN SMALL LETTER U WITH DIAERESIS` is `u`, `LATIN CAPITAL LETTER AE` is `AE`. As a table, the
    /// names need not be in the agent's program, of which they would be a fiftieth (scripts/build-release).
    private static let letters: [Unicode.Scalar: String] = {
        var letters: [Unicode.Scalar: String] = [:]
        for line in table.unicodeScalars.split(separator: "\n") {
            let parts = line.split(separator: " ")
            for scalar in parts.dropFirst().joined() { letters[scalar] = parts.first.map(String.init) }
        }
        return letters
    }()

    private static let table = """
        A ÀÁÂÃÄÅĀĂĄǍǞǠǺȀȂȦȺḀẠẢẤẦẨẪẬẮẰẲẴẶ
        AA Ꜳ
        AE ÆǢǼ
        AO Ꜵ
        AU Ꜷ
        AV ꜸꜺ
        AY Ꜽ
        B ƁƂɃḂḄḆꞖ
        C ÇĆĈĊČƇȻḈꞒꟄ
        D ĎĐƊƋǅǲḊḌḎḐḒꟇ
        DZ ǄǱ
        E ÈÉÊËĒĔĖĘĚȄȆȨɆḔḖḘḚḜẸẺẼẾỀỂỄỆ
        ET Ꝫ
        F ƑḞꞘ
        G ĜĞĠĢƓǤǦǴḠꞠ
        H ĤĦȞḢḤḦḨḪⱧꞪ
        I ÌÍÎÏĨĪĬĮİƗǏȈȊḬḮỈỊ
        IJ Ĳ
        IS Ꝭ
        J ĴɈꞲ
        K ĶƘǨḰḲḴⱩꝀꝂꝄꞢ
        L ĹĻĽĿŁǈȽḶḸḺḼⱠⱢꝈꞭ
        LJ Ǉ
        M ḾṀṂⱮ
        N ÑŃŅŇƝǋǸȠṄṆṈṊꞐꞤ
        NJ Ǌ
        O ÒÓÔÕÖØŌŎŐƟƠǑǪǬǾȌȎȪȬȮȰṌṎṐṒỌỎỐỒỔỖỘỚỜỞỠỢꝊꝌ
        OE Œ
        OI Ƣ
        OO Ꝏ
        OU Ȣ
        P ƤṔṖⱣꝐꝒꝔ
        Q ꝖꝘ
        R ŔŖŘȐȒɌṘṚṜṞⱤꞦ
        S ŚŜŞŠȘṠṢṤṦṨⱾꞨꟅꟉꟌ
        T ŢŤŦƬƮȚȾṪṬṮṰ
        TZ Ꜩ
        U ÙÚÛÜŨŪŬŮŰŲƯǓǕǗǙǛȔȖṲṴṶṸṺỤỦỨỪỬỮỰꞸ
        V ƲṼṾꝞ
        VY Ꝡ
        W ŴẀẂẄẆẈⱲ
        X ẊẌ
        Y ÝŶŸƳȲɎẎỲỴỶỸỾ
        Z ŹŻŽƵȤẐẒẔⱫⱿꟆ
        a àáâãäåāăąǎǟǡǻȁȃȧᶏḁẚạảấầẩẫậắằẳẵặⱥ
        aa ꜳ
        ae æǣǽ
        ao ꜵ
        au ꜷ
        av ꜹꜻ
        ay ꜽ
        b ƀƃɓᵬᶀḃḅḇꞗ
        c çćĉċčƈȼɕḉꞓꞔ𝼝
        d ďđƌȡɖɗᵭᶁᶑḋḍḏḑḓꟈ𝼥
        dz ǆǳ
        e èéêëēĕėęěȅȇȩɇᶒḕḗḙḛḝẹẻẽếềểễệⱸꬴ
        et ꝫ
        f ƒᵮᶂḟꞙ
        ff ﬀ
        fi ﬁ
        fl ﬂ
        g ĝğġģǥǧǵɠᶃḡꞡ
        h ĥħȟɦḣḥḧḩḫẖⱨꞕ
        hv ƕ
        i ìíîïĩīĭįǐȉȋɨᶖḭḯỉị𝼚
        ij ĳ
        is ꝭ
        j ĵǰɉʝ
        k ķƙǩᶄḱḳḵⱪꝁꝃꝅꞣ
        l ĺļľŀłƚȴɫɬɭᶅḷḹḻḽⱡꝉꞎꬷꬸꬹ𝼑𝼓𝼦
        lj ǉ
        m ɱᵯᶆḿṁṃꬺ
        n ñńņňƞǹȵɲɳᵰᶇṅṇṉṋꞑꞥꬻ𝼧
        nj ǌ
        o òóôõöøōŏőơǒǫǭǿȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợⱺꝋꝍ𝼛
        oe œ
        oi ƣ
        oo ꝏ
        ou ȣ
        p ƥᵱᵽᶈṕṗꝑꝓꝕ
        q ɋʠꝗꝙ
        r ŕŗřȑȓɍɼɽɾᵲᵳᶉṙṛṝṟꞧꭉ𝼖𝼨
        s śŝşšșȿʂᵴᶊṡṣṥṧṩꞩꟊꟍ𝼞𝼩
        ss ß
        st ﬆ
        t ţťŧƫƭțȶʈᵵṫṭṯṱẗⱦ𝼉𝼪
        th ᵺ
        tz ꜩ
        u ùúûüũūŭůűųưǔǖǘǚǜȕȗᶙṳṵṷṹṻụủứừửữựꞹꭎꭒ
        ue ᵫ
        ui ꭐ
        um ꝸ
        uo ꭣ
        v ʋᶌṽṿⱱⱴꝟ
        vy ꝡ
        w ŵẁẃẅẇẉẘⱳ
        x ᶍẋẍꭖꭗꭘꭙ
        y ýÿŷƴȳɏẏẙỳỵỷỹỿꭚ
        z źżžƶȥɀʐʑᵶᶎẑẓẕⱬ
        """
}
