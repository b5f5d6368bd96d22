// What the adapters use of Apple's Foundation and is not in Linux's, or in another module there (FoundationNetworking).
// The methods of delegates are optional at Apple's; here they are required, so that a misspelt one does not go unnoticed.
public import Foundation
public import Security

extension Stream {
    // iOS 8.0: https://developer.apple.com/documentation/foundation/stream/getboundstreams(withbuffersize:inputstream:outputstream:)
    // Apple's pointers are AutoreleasingUnsafeMutablePointer, which there is none of on Linux; both are passed with "&".
    public class func getBoundStreams(
        withBufferSize bufferSize: Int, inputStream: UnsafeMutablePointer<InputStream?>?, outputStream: UnsafeMutablePointer<OutputStream?>?
    ) {}
}

// iOS 8.0: https://developer.apple.com/documentation/foundation/urlrequest
public struct URLRequest {
    // iOS 2.0: https://developer.apple.com/documentation/foundation/nsurlrequest/cachepolicy-swift.enum
    public enum CachePolicy: Sendable {
        // iOS 2.0: https://developer.apple.com/documentation/foundation/nsurlrequest/cachepolicy-swift.enum/reloadignoringlocalcachedata
        case reloadIgnoringLocalCacheData
    }

    // iOS 8.0: https://developer.apple.com/documentation/foundation/urlrequest/init(url:cachepolicy:timeoutinterval:)
    public init(url: URL) {}
    // iOS 8.0: https://developer.apple.com/documentation/foundation/urlrequest/httpmethod
    public var httpMethod: String?
    // iOS 8.0: https://developer.apple.com/documentation/foundation/urlrequest/httpbody
    public var httpBody: Data?
    // iOS 8.0: https://developer.apple.com/documentation/foundation/urlrequest/httpbodystream
    public var httpBodyStream: InputStream?
    // iOS 8.0: https://developer.apple.com/documentation/foundation/urlrequest/setvalue(_:forhttpheaderfield:)
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
}

// iOS 2.0: https://developer.apple.com/documentation/foundation/urlresponse
open class URLResponse: NSObject {}

// iOS 2.0: https://developer.apple.com/documentation/foundation/httpurlresponse
open class HTTPURLResponse: URLResponse {
    // iOS 2.0: https://developer.apple.com/documentation/foundation/httpurlresponse/statuscode
    open var statusCode: Int { fatalError() }
    // iOS 2.0: https://developer.apple.com/documentation/foundation/httpurlresponse/allheaderfields
    open var allHeaderFields: [AnyHashable: Any] { fatalError() }
}

// iOS 7.0: https://developer.apple.com/documentation/foundation/urlsessionconfiguration
open class URLSessionConfiguration: NSObject {
    // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsessionconfiguration/ephemeral
    open class var ephemeral: URLSessionConfiguration { fatalError() }
    // iOS 13.0: https://developer.apple.com/documentation/foundation/urlsessionconfiguration/tlsminimumsupportedprotocolversion
    open var tlsMinimumSupportedProtocolVersion = tls_protocol_version_t.TLSv12
    // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsessionconfiguration/httpcookiestorage
    open var httpCookieStorage: HTTPCookieStorage?
    // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsessionconfiguration/httpshouldsetcookies
    open var httpShouldSetCookies = true
    // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsessionconfiguration/urlcache
    open var urlCache: URLCache?
    // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsessionconfiguration/urlcredentialstorage
    open var urlCredentialStorage: URLCredentialStorage?
    // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsessionconfiguration/requestcachepolicy
    open var requestCachePolicy = URLRequest.CachePolicy.reloadIgnoringLocalCacheData
    // iOS 11.0: https://developer.apple.com/documentation/foundation/urlsessionconfiguration/waitsforconnectivity
    open var waitsForConnectivity = false
    // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsessionconfiguration/timeoutintervalforrequest
    open var timeoutIntervalForRequest: TimeInterval = 60
}

// iOS 2.0: https://developer.apple.com/documentation/foundation/httpcookiestorage
open class HTTPCookieStorage: NSObject {}

// iOS 2.0: https://developer.apple.com/documentation/foundation/urlcache
open class URLCache: NSObject {}

// iOS 2.0: https://developer.apple.com/documentation/foundation/urlcredentialstorage
open class URLCredentialStorage: NSObject {}

// iOS 7.0: https://developer.apple.com/documentation/foundation/urlsession
open class URLSession: NSObject, @unchecked Sendable {
    // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsession/init(configuration:delegate:delegatequeue:)
    public init(configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue queue: OperationQueue?) {}
    // iOS 15.0: https://developer.apple.com/documentation/foundation/urlsession/bytes(for:delegate:)
    public func bytes(for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (AsyncBytes, URLResponse) {
        fatalError()
    }
    // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsession/finishtasksandinvalidate()
    open func finishTasksAndInvalidate() {}

    // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsession/authchallengedisposition
    public enum AuthChallengeDisposition: Int, Sendable {
        // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsession/authchallengedisposition/usecredential
        case useCredential
        // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsession/authchallengedisposition/performdefaulthandling
        case performDefaultHandling
        // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsession/authchallengedisposition/cancelauthenticationchallenge
        case cancelAuthenticationChallenge
    }

    // iOS 15.0: https://developer.apple.com/documentation/foundation/urlsession/asyncbytes
    public struct AsyncBytes: AsyncSequence, Sendable {
        // iOS 15.0: https://developer.apple.com/documentation/foundation/urlsession/asyncbytes/task
        public var task: URLSessionDataTask { fatalError() }
        // iOS 15.0: https://developer.apple.com/documentation/foundation/urlsession/asyncbytes/makeasynciterator()
        public func makeAsyncIterator() -> Iterator { fatalError() }

        // iOS 15.0: https://developer.apple.com/documentation/foundation/urlsession/asyncbytes/iterator
        public struct Iterator: AsyncIteratorProtocol {
            // iOS 15.0: https://developer.apple.com/documentation/foundation/urlsession/asyncbytes/iterator/next()
            public mutating func next() async throws -> UInt8? { fatalError() }
        }
    }
}

// iOS 7.0: https://developer.apple.com/documentation/foundation/urlsessiontask
open class URLSessionTask: NSObject, @unchecked Sendable {
    // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsessiontask/cancel()
    open func cancel() {}
}

// iOS 7.0: https://developer.apple.com/documentation/foundation/urlsessiondatatask
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

// iOS 7.0: https://developer.apple.com/documentation/foundation/urlsessiondelegate
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsessiondelegate/urlsession(_:didreceive:completionhandler:)
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
}

// iOS 7.0: https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate
// Apple's inherits from URLSessionDelegate, whose method would then be required of it too.
public protocol URLSessionTaskDelegate: NSObjectProtocol, Sendable {
    // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate/urlsession(_:task:willperformhttpredirection:newrequest:completionhandler:)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void)
    // iOS 7.0: https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate/urlsession(_:task:didsendbodydata:totalbytessent:totalbytesexpectedtosend:)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64)
}

// iOS 2.0: https://developer.apple.com/documentation/foundation/urlauthenticationchallenge
open class URLAuthenticationChallenge: NSObject {
    // iOS 2.0: https://developer.apple.com/documentation/foundation/urlauthenticationchallenge/protectionspace
    open var protectionSpace: URLProtectionSpace { fatalError() }
}

// iOS 2.0: https://developer.apple.com/documentation/foundation/urlprotectionspace
open class URLProtectionSpace: NSObject {
    // iOS 2.0: https://developer.apple.com/documentation/foundation/urlprotectionspace/authenticationmethod
    open var authenticationMethod: String { fatalError() }
    // iOS 3.0: https://developer.apple.com/documentation/foundation/urlprotectionspace/servertrust
    open var serverTrust: SecTrust? { fatalError() }
}

// iOS 3.0: https://developer.apple.com/documentation/foundation/nsurlauthenticationmethodservertrust
public var NSURLAuthenticationMethodServerTrust: String { fatalError() }

// iOS 2.0: https://developer.apple.com/documentation/foundation/urlcredential
open class URLCredential: NSObject {
    // iOS 3.0: https://developer.apple.com/documentation/foundation/urlcredential/init(trust:)
    public init(trust: SecTrust) {}
}
