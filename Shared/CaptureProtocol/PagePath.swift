/// The paths of pages that the API's answers and clients name.
public enum PagePath {
    /// Below it are the pages of captures.
    public static let captures = "/verify"

    /// A capture's page, without the site's address.
    public static func capture(_ id: CaptureID) -> String { "\(captures)/\(id)" }
}
