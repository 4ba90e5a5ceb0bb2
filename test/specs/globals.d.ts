/// <reference types="@rbxts/testez/globals" />
