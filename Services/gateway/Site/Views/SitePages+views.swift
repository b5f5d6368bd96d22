import Evidence
import Foundation
import HTTPTypes
import Hummingbird

extension SitePages {
    /// The share card of what has no result of its own, as `ShareCardRenderer` draws it without one.
    static let neutralCard = "/assets/img/share.png"

    func landing(example: CaptureFacts?, _ words: WordTable) -> Page {
        var context = FileParts.context(words)
        for group in ["with_camera", "with_home", "with_link"] { context[group] = true }
        context["example"] = example.flatMap { Self.example($0, words) }
        context["app_store"] = settings.appStore
        context["og"] =
            [
                "og_type": "website", "title": words("home.title"), "description": words("home.note"), "og_url": settings.publicURL + "/",
                "og_locale": words.language.openGraph,
                "og_image": ["src": settings.publicURL + Self.neutralCard, "alt": words("site.name")] as ViewContext,
            ] as ViewContext
        return Page(
            template: .landing, title: words("home.title"), path: "/", showsLocalFiles: true, scripts: ["file.js"], context: context)
    }

    /// A finished record with both pictures; `nil` for any other.
    private static func example(_ facts: CaptureFacts, _ words: WordTable) -> ViewContext? {
        guard facts.status == .complete, let evidence = facts.evidence, let confidence = facts.confidence,
            let (photo, size) = PhotoView(media: facts.media).picture, let depth = facts.media[.depthPreview]
        else { return nil }
        return [
            "link": "/verify/\(facts.id)", "src": photo.link, "width": size.width, "height": size.height, "alt": words("alt.photo"),
            "depth_src": depth.link,
            "badge": Badge.level(confidence, test: evidence.hardwareAttestation.developmentAttestation).context(words),
        ]
    }

    func file(_ result: FileResult?, _ words: WordTable) -> Page {
        var context = FileParts.context(words)
        context["at_file"] = true
        context["result"] = result?.context(words)
        return Page(
            template: .file, title: words("title.page", ["page": words("file.h1")]), path: "/verify-file", showsLocalFiles: true,
            scripts: ["file.js"], context: context)
    }

    func methodology(_ words: WordTable) -> Page {
        let levels = Badge.levels.map { level in
            var row = Badge.level(level, test: false).context(words)
            row["rule"] = words("how.levels.\(level.rawValue)")
            return row
        }
        let methods = EvidenceAssembly.algorithmVersions.sorted { $0.key < $1.key }.map {
            ["method": $0.key, "version": $0.value] as ViewContext
        }
        return Page(
            template: .methodology, title: words("title.page", ["page": words("site.how")]), path: "/methodology",
            context: ["at_how": true, "with_badges": true, "levels": levels, "versions": ["methods": methods] as ViewContext])
    }
}
