import TestSupport

@testable import Site

let publicURL = Samples.publicURL
let resources = Samples.siteResources

func makePages(_ settings: SiteSettings = SiteSettings(publicURL: publicURL)) -> SitePages {
    SitePages(settings: settings, resources: resources)
}

extension Samples {
    static func html(_ record: PublicRecord, _ language: Language = .english, similar: SimilarCaptures? = nil) throws -> String {
        try makePages().html(page(record, language, similar: similar), language)
    }

    static func page(_ record: PublicRecord, _ language: Language = .english, similar: SimilarCaptures? = nil) -> Page {
        makePages().record(record, similar: similar, language)
    }
}
