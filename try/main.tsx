import { render } from "preact";
import { App } from "./view/app.tsx";
import "./style.css";

render(<App />, document.getElementById("app")!);
