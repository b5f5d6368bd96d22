import CaptureProtocol
import Evidence
import Foundation
import Models

extension SitePages {
    /// - Parameter example: a complete record; not shown unless it has both pictures.
    package func landing(example: PublicRecord?, _ language: Language) -> Page {
        let strings = resources.strings(language)
        var context = FileParts.context(strings)
        for group in ["with_camera", "with_home", "with_link"] { context[group] = true }
        context["example"] = example.flatMap { Self.example($0, strings) }
        context["app_store"] = settings.appStore
        context["og"] =
            [
                "og_type": "website", "title": strings("home.title"), "description": strings("home.note"),
                "og_url": settings.publicURL + "/", "og_locale": language.openGraph,
                "og_image": Page.card(settings.publicURL + Page.neutralCard, alt: strings("site.name")),
            ] as ViewContext
        return Page(
            template: .landing, title: strings("home.title"), path: "/", showsLocalFiles: true, scripts: ["file.js"], context: context)
    }

    /// The example if it is a complete record with both pictures; else `nil`.
    private static func example(_ record: PublicRecord, _ strings: StringTable) -> ViewContext? {
        guard record.status == .complete, !record.isRevoked, let evidence = record.evidence, let confidence = record.confidence,
            let (photo, size) = PhotoView(media: record.media).picture, let depth = record.media[.depthPreview]
        else { return nil }
        return [
            "link": PagePath.capture(record.id), "src": photo.link, "width": size.width, "height": size.height, "alt": strings("alt.photo"),
            "depth_src": depth.link,
            "badge": Badge.level(confidence, test: evidence.hardwareAttestation.developmentAttestation).context(strings),
        ]
    }

    /// The page of one capture, in any state.
    /// - Parameter similar: captures of the same file by several devices; `nil` if there is only one.
    package func record(_ record: PublicRecord, similar: SimilarCaptures?, _ language: Language) -> Page {
        view(record, similar: similar, language).page(isIndexed: settings.listsRecords)
    }

    /// The title of the record's page.
    package func title(of record: PublicRecord, _ language: Language) -> String { view(record, similar: nil, language).title }

    private func view(_ record: PublicRecord, similar: SimilarCaptures?, _ language: Language) -> RecordView {
        let strings = resources.strings(language, record.type)
        return RecordView(record, similar: similar, strings: strings, publicURL: settings.publicURL)
    }

    /// - Parameter result: the result for a file that was sent without JavaScript; `nil` if none was sent.
    package func file(_ result: FileResult?, _ language: Language) -> Page {
        let strings = resources.strings(language)
        var context = FileParts.context(strings)
        context["at_file"] = true
        context["result"] = result.map { FileResultView(result: $0, strings: strings).context() }
        return Page(
            template: .file, title: strings("title.page", ["page": strings("file.h1")]), path: "/verify-file", showsLocalFiles: true,
            scripts: ["file.js"], context: context)
    }

    package func methodology(_ language: Language) -> Page {
        let strings = resources.strings(language)
        let levels = Badge.levels.map { level in
            var row = Badge.level(level, test: false).context(strings)
            row["rule"] = strings("how.levels.\(level.rawValue)")
            return row
        }
        let versions = EvidenceAssembly.algorithmVersions.merging(
            EvidenceAssembly.videoVersions.map { ("\($0.key) (\(strings("how.versions.video")))", $0.value) }
        ) { $1 }
        let methods = versions.sorted { $0.key < $1.key }.map { ["method": $0.key, "version": $0.value] as ViewContext }
        return Page(
            template: .methodology, title: strings("title.page", ["page": strings("site.how")]), path: "/methodology",
            context: ["at_how": true, "with_badges": true, "levels": levels, "versions": ["methods": methods] as ViewContext])
    }

    /// The page about the public log.
    package func log(_ facts: LogFacts, _ language: Language) -> Page {
        LogView(facts: facts, policy: settings.logPolicy, publicURL: settings.publicURL, strings: resources.strings(language)).page()
    }

    /// The page that verifies an evidence bundle in the reader's browser.
    package func bundle(_ language: Language) -> Page {
        let strings = resources.strings(language)
        let signs: [(String, String, String)] =
            [CheckStatus.pass, .fail, .inconclusive, .unavailable].map { ($0.rawValue, $0.styleClass, $0.icon) } + [
                ("plain", "none", "info")
            ]
        var context: ViewContext = [
            "badges": Badge.levels.map { Badge.level($0, test: false).context(strings) }, "with_badges": true, "with_file": true,
            "signs": signs.map { ["status": $0, "class": $1, "icon": $2] as ViewContext },
        ]
        context["policy"] = settings.logPolicy
        return Page(
            template: .bundle, title: strings("title.page", ["page": strings("bundle.h1")]), path: "/bundle", isPortable: true,
            context: context)
    }

    /// The error page.
    package func error(_ failure: PageFailure, _ language: Language) -> Page {
        ErrorView(failure: failure, strings: resources.strings(language)).page()
    }
}
