package import Site

extension Samples {
    /// Where the site of the tests is.
    package static let publicURL = "https://rial.example"

    /// Loaded once, like a gateway at its start.
    package static let siteResources: SiteResources = {
        do {
            return try SiteResources.bundled()
        } catch {
            preconditionFailure("\(error)")
        }
    }()
}
