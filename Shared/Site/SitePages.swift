import CaptureProtocol
import Foundation

/// Renders the site's pages: from records, in the reader's language, to HTML.
package struct SitePages: Sendable {
    package let settings: SiteSettings
    package let resources: SiteResources

    package init(settings: SiteSettings, resources: SiteResources) {
        self.settings = settings
        self.resources = resources
    }

    /// The whole document.
    package func html(_ page: Page, _ language: Language) throws(SiteError) -> String {
        let strings = resources.strings(language, page.type)
        var context = frame(page, language, strings).overridden(by: page.context)
        context["css"] = resources.css
        if page.isPortable {
            context["base"] = settings.publicURL
            context["is_portable"] = true
            context["inline_script"] = resources.bundleScript.text
            context["meta_policy"] = resources.portablePolicy
        }
        return try resources.templates(language, page.type).render(page.template.rawValue, context)
    }

    /// The frame that all pages share, from `<html>` to the language switch.
    private func frame(_ page: Page, _ language: Language, _ strings: StringTable) -> ViewContext {
        var frame: ViewContext = [
            "lang": language.rawValue, "title": page.title, "description": strings("site.description"), "noindex": !page.isIndexed,
            "other_lang": language.other.rawValue,
            "other_href": (page.isPortable ? settings.publicURL : "") + SiteAddress.languageSwitch(to: language.other, back: page.path),
            "scripts": page.scripts.map(resources.script), "alternates": [ViewContext](),
        ]
        guard page.isCanonical else { return frame }
        let address = settings.publicURL + page.path
        frame["canonical"] = address
        frame["alternates"] = Language.allCases.map { ["hreflang": $0.rawValue, "href": "\(address)?lang=\($0.rawValue)"] as ViewContext }
        return frame
    }
}
