/// The size of a share card, `og.jpg`, in pixels.
public enum ShareCardSize {
    public static let width = 1200
    public static let height = 630
}
