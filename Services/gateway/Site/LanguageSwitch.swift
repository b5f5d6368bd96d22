import HTTPTypes
import Hummingbird
import Site

/// `GET /language?to=es&back=/path`: stores the reader's choice in a cookie and redirects back.
enum LanguageSwitch {
    /// - Parameter isSecure: whether the cookie is for https only.
    static func response(to request: Request, isSecure: Bool) -> Response {
        let query = request.uri.queryParameters
        var fields: HTTPFields = [
            .location: SiteAddress.returnPath(query["back"].map(String.init)), .cacheControl: "no-store", .vary: "Cookie",
        ]
        if let language = query["to"].flatMap({ Language(rawValue: String($0)) }) {
            fields[.setCookie] =
                "\(Language.cookie)=\(language.rawValue); Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly" + (isSecure ? "; Secure" : "")
        }
        return Response(status: .seeOther, headers: fields)
    }
}
